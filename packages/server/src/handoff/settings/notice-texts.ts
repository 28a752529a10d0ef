import type { Language, NoticeName } from "@signalbox/contract";

/** The notices to users, unless the agent words them differently or turns them off. */
export const NOTICE_TEXTS: Readonly<Record<NoticeName, Readonly<Record<Language, string>>>> = {
  connecting: {
    en: "I'm connecting you with someone from our team. One moment, please.",
    "zh-CN": "正在为您转接人工客服，请稍候。",
  },
  busy: {
    en: "Everyone on our team is busy right now. I'll keep helping you in the meantime.",
    "zh-CN": "抱歉，人工客服目前都在忙，我先继续为您解答。",
  },
  away: {
    en: "Our team is offline right now. Leave your email and someone will get back to you. I'm here in the meantime.",
    "zh-CN": "现在不是人工客服的服务时间。请留下您的邮箱，我们会尽快与您联系。在此期间，我会继续为您解答。",
  },
  message_left: {
    en: "Thanks! Someone from our team will email you.",
    "zh-CN": "收到，谢谢！我们会通过邮件与您联系。",
  },
  first_reply_warning: {
    en: "I'm still looking for someone who can help. Thanks for your patience.",
    "zh-CN": "正在为您安排人工客服，感谢您的耐心等待。",
  },
  first_reply_timeout: {
    en: "Sorry, no one on our team could join in time. I'll keep helping you in the meantime.",
    "zh-CN": "抱歉，暂时没有客服可以接待，我先继续为您解答。",
  },
  human_idle_warning: {
    en: "Our team hasn't replied for a while. If we don't hear from them soon, I'll take over again.",
    "zh-CN": "客服有一会儿没有回复了。如果稍后仍未回复，将由我继续为您解答。",
  },
  human_idle_timeout: {
    en: "Sorry, our team is no longer replying. I'm back to help you.",
    "zh-CN": "抱歉让您久等了，客服暂时无法回复，现在由我继续为您解答。",
  },
  user_idle_warning: {
    en: "Are you still there? This chat will close soon if we don't hear from you.",
    "zh-CN": "请问您还在吗？如果没有收到您的消息，本次人工服务即将结束。",
  },
  user_idle_timeout: {
    en: "We haven't heard from you, so your chat with our team has ended. I'm here if you need anything else.",
    "zh-CN": "由于长时间未收到您的消息，本次人工服务已结束。如有需要，请随时告诉我。",
  },
  human_closed: {
    en: "Your chat with our team has ended. I'm here if you need anything else.",
    "zh-CN": "本次人工服务已结束。如还有其他问题，请随时告诉我。",
  },
  user_closed: {
    en: "You've ended the chat with our team. I'm here if you need anything else.",
    "zh-CN": "您已结束人工服务，现在由我继续为您解答。",
  },
  cannot_join: {
    en: "Our team can't join this chat, but I'll do my best to help.",
    "zh-CN": "当前渠道暂不支持转接人工客服，我会尽力为您解答。",
  },
  desk_lost: {
    en: "Sorry, we lost the connection to our team. I'll keep helping you in the meantime.",
    "zh-CN": "抱歉，与客服的连接已中断，我先继续为您解答。",
  },
};
