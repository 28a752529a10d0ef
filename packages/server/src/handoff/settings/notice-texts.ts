import type { Language, NoticeName } from "@signalbox/contract";

/** The notices to users, unless the agent words them differently or turns them off. */
export const NOTICE_TEXTS: Readonly<Record<NoticeName, Readonly<Record<Language, string>>>> = {
  connecting: {
    en: "I am connecting you with a person. Please wait a moment.",
    "zh-CN": "正在为您转接人工服务，请稍候。",
  },
  busy: {
    en: "No person is free right now. I will go on helping you myself.",
    "zh-CN": "人工服务目前繁忙，我会继续为您解答。",
  },
  away: {
    en: "Nobody is there at this hour. Leave your email address and a person will write to you; until then I am here.",
    "zh-CN": "现在不在人工服务时间。请留下您的邮箱，工作人员会与您联系；在此期间我会继续为您解答。",
  },
  message_left: {
    en: "Thank you. A person will write to you by email.",
    "zh-CN": "谢谢，工作人员会通过邮件与您联系。",
  },
  first_reply_warning: {
    en: "I am still looking for somebody who can talk to you.",
    "zh-CN": "仍在为您寻找可以接待的工作人员。",
  },
  first_reply_timeout: {
    en: "Nobody could take over in time. I will go on helping you myself.",
    "zh-CN": "暂时没有工作人员能够接待，我会继续为您解答。",
  },
  human_idle_warning: {
    en: "The person you talk to has been quiet for a while. If nothing comes I will take over again soon.",
    "zh-CN": "工作人员有一段时间没有回复。如仍无回复，稍后将由我继续为您解答。",
  },
  human_idle_timeout: {
    en: "The person you talked to does not answer any more. I am here again.",
    "zh-CN": "工作人员未再回复，现在由我继续为您解答。",
  },
  user_idle_warning: {
    en: "Are you still there? Without a word from you this talk will end soon.",
    "zh-CN": "您还在吗？如果没有新的消息，本次人工服务即将结束。",
  },
  user_idle_timeout: {
    en: "The talk with a person has ended because we did not hear from you. I am here if you need me.",
    "zh-CN": "由于长时间没有收到您的消息，人工服务已结束。如有需要，请随时告诉我。",
  },
  human_closed: {
    en: "The person has ended the talk. I am here if you need anything else.",
    "zh-CN": "工作人员已结束本次服务。如还有需要，请随时告诉我。",
  },
  user_closed: {
    en: "You have left the talk with a person. I am here again.",
    "zh-CN": "您已结束人工服务，现在由我继续为您解答。",
  },
  cannot_join: {
    en: "A person cannot join this conversation here. I will help you as well as I can.",
    "zh-CN": "此渠道无法转接人工服务，我会尽力为您解答。",
  },
  desk_lost: {
    en: "The connection to the person was lost. I will go on helping you myself.",
    "zh-CN": "与工作人员的连接已中断，我会继续为您解答。",
  },
};
