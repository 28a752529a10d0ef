import type { SmallTalkKind } from "@signalbox/contract";

/** Phrases that are small talk when a message holds nothing else, as they are typed, without punctuation. */
export const SMALL_TALK_PHRASES: Record<Exclude<SmallTalkKind, "emoji">, string> = {
  insult: `
    fuck, fuck you, fuck off, shit, bullshit, idiot, stupid, you are stupid, you are an idiot, you are useless, useless, useless bot, this is useless,
    stupid bot, dumb, dumb bot, you are dumb, you suck, this sucks, screw you, shut up, go to hell, asshole, moron, crap, terrible bot, you are terrible, i hate you, worst bot ever,
    傻逼, 傻瓜, 笨蛋, 白痴, 滚, 去死, 废物, 垃圾, 蠢, 太蠢了, 真笨, 你真笨, 你好笨, 没用, 真没用, 智障, 妈的, 他妈的, 操, 混蛋, 神经病, 有病`,
  identity: `
    who are you, who are u, what are you, what are you exactly, who is this, who am i talking to, who am i speaking to, who am i chatting with, what is your name,
    what's your name, whats your name, your name, are you a robot, are you a bot, are you a human, are you human, are you real, are you a real person, are you a person, are you an ai, are you ai,
    are you a machine, are you a computer, is this a bot, is this a robot, is this a real person, am i talking to a bot, am i talking to a robot, am i talking to a human, am i talking to a real person,
    am i talking to a machine, am i speaking to a human, am i speaking with a human, am i chatting with a bot, are you chatgpt, are you a real human, is anyone real here, what can you do, what can you help with,
    what can you help me with, what do you do, how can you help, how can you help me, who made you, who built you,
    你是谁, 您是谁, 你是什么, 你叫什么, 你叫什么名字, 你叫啥, 你是机器人吗, 你是机器人, 是机器人吗, 你是人工吗, 你是真人吗, 你是人吗, 你是ai吗, 是真人吗, 你是人还是机器, 你是人还是机器人,
    我在和谁说话, 我在跟谁说话, 你是哪位, 您是哪位, 你能做什么, 你会什么, 你会做什么, 你能帮我什么, 你可以做什么, 你能干什么, 你能干嘛`,
  how_are_you: `
    how are you, how are u, how r u, how are you doing, how are you today, how's it going, hows it going, how is it going, how do you do, how have you been, what's up, whats up, wassup, sup,
    how is your day, how's your day, hows your day, how are things, you ok, you alright, are you ok, nice to meet you, pleased to meet you,
    你好吗, 您好吗, 最近好吗, 最近怎么样, 你怎么样, 过得怎么样, 吃了吗, 吃饭了吗, 你今天怎么样, 忙吗, 很高兴认识你`,
  thanks: `
    thanks, thank you, thank u, thankyou, thx, ty, tysm, tnx, cheers, much appreciated, appreciate it, i appreciate it, appreciated, many thanks, thanks a lot, thanks a million, thanks so much, thank you so much,
    thank you very much, thanks very much, big thanks, thanks for your help, thank you for your help, thanks for the help, thanks for helping, thank you for helping me, that helped, that helps, that was helpful, very helpful, helpful,
    you are really helpful, you are very helpful, you are so helpful, you are helpful, you are great, you are awesome, you are amazing, you are the best, you are kind, you are a star, you rock, good job, great job, nice job,
    well done, good bot, nice work, love it, awesome work, that is kind of you, so kind, lifesaver, you are a lifesaver,
    谢谢, 谢谢你, 谢谢您, 谢了, 谢啦, 多谢, 多谢了, 感谢, 非常感谢, 十分感谢, 太感谢了, 感谢您, 感谢你, 谢谢帮助, 谢谢你的帮助, 谢谢您的帮助, 3q, 辛苦了, 辛苦啦, 你真好, 你真棒, 真棒, 太棒了, 你很棒, 真厉害, 厉害,
    很有帮助, 有帮助, 帮大忙了, 给力, 赞, 点赞, 好评, 麻烦你了, 麻烦您了, 你真聪明, 真不错, 不错`,
  apology: `
    sorry, i am sorry, im sorry, i'm sorry, my bad, my mistake, my fault, apologies, i apologise, i apologize, pardon, pardon me, excuse me, oops, whoops, sorry about that, sorry for that, sorry for the confusion,
    对不起, 抱歉, 不好意思, 很抱歉, 非常抱歉, 是我的错, 我的错, 我错了, 打扰了, 打扰一下, 打扰您了`,
  goodbye: `
    bye, bye bye, byebye, goodbye, good bye, see you, see ya, see you later, see you soon, cya, later, talk to you later, ttyl, farewell, take care, have a nice day, have a good day, have a great day, have a good one,
    have a nice evening, have a good evening, have a nice weekend, have a good weekend, good night, goodnight, night, until next time, i have to go, i gotta go, gotta go, i am leaving, catch you later, so long,
    再见, 拜拜, 拜, 88, 白白, 回见, 下次见, 下次再聊, 回头见, 晚安, 走了, 我走了, 先这样, 那先这样, 就这样吧, 祝你愉快, 祝您愉快, 周末愉快, 下次再说, 再会, 先走了, 我先走了, 改天聊, 先不聊了`,
  acknowledgement: `
    ok, okay, okey, k, kk, okie, okay cool, ok cool, ok great, cool, great, good, nice, perfect, awesome, excellent, wonderful, fantastic, brilliant, super, lovely, fine, alright, all right, right, sure, yes, yep, yeah, yup,
    no, nope, no thanks, no thank you, not really, got it, gotcha, i got it, i see, i understand, understood, understand, makes sense, that makes sense, ah ok, oh ok, ah okay, oh okay, oh i see, ah i see, noted, will do, roger, understood thanks, very good, sounds good,
    good to know, that is all, that's all, thats all, that is all i needed, that's all i needed, thats all i needed, that is all i need, that's all i need, thats all i need, that was all, that is everything, that's everything,
    that is it, that's it, thats it, all good, all set, i am good, im good, i'm good, we are good, nothing else, nothing, nothing more, never mind, nevermind, nvm, forget it, forget about it, no worries, no problem, np, it is fine, it's fine, its fine, it's ok, its ok,
    it is ok, doesn't matter, does not matter, don't worry, dont worry, solved, it works, it works now, works now, problem solved, i found it, found it, i will try, i'll try, let me try, i will try that, i'll try that, i will check, one moment, one second, wait, hold on, just a moment, hang on,
    lol, haha, hahaha, hehe, hmm, hm, mm, mhm, uh huh, wow, oh, ah, aha, whatever, test, testing, just testing, i know, interesting, really, is that so, true, correct, exactly, agreed, deal,
    好, 好的, 好滴, 好嘞, 好吧, 好呀, 好哒, 好的好的, 好好, 好了, 行, 行吧, 可以, 可以的, 嗯, 嗯嗯, 嗯好, 哦, 哦哦, 噢, 喔, 是, 是的, 对, 对的, 对对, 没错, 知道了, 我知道了, 知道啦, 明白, 明白了, 我明白了, 了解, 了解了, 懂了, 我懂了, 收到, 清楚了, 没事, 没事了, 没关系, 没问题, 没有了,
    没了, 不用了, 不用, 不需要了, 不需要, 不了, 算了, 算了吧, 不是, 不, 不对, 哈哈, 哈哈哈, 呵呵, 嘿嘿, 嘻嘻, 原来如此, 这样啊, 这样子, 是这样啊, 解决了, 搞定了, 搞定, 已经好了, 可以了, 就这些, 就这样, 没别的了, 没有其他问题了, 没有问题了, 暂时没有了, 等一下, 稍等, 等等, 我试试, 试试, 我看看, 我去试试, 测试, 测试一下, ok的, 太好了, 很好, 非常好, 真的吗, 是吗, 这样`,
  greeting: `
    hi, hello, hey, hey there, hi there, hello there, hiya, howdy, yo, greetings, good morning, good afternoon, good evening, good day, morning, afternoon, evening, g'day, hello again, hi again, welcome, helo, hallo, hola, bonjour, ciao, hullo, heya,
    anyone there, anybody there, is anyone there, is anybody there, is anyone here, anyone here, are you there, you there, anyone home, is someone there, somebody there, hello world, help, help me, please help, please help me, i need help, i need some help,
    can you help me, can you help, could you help me, can i ask you something, can i ask something, can i ask a question, can i ask you a question, i have a question, i have a quick question, quick question, question, start, get started, begin, menu, let's start, lets start,
    你好, 您好, 你好呀, 你好啊, 你们好, 大家好, 哈喽, 哈啰, 嗨, 嘿, 喂, 喂喂, 早, 早上好, 早安, 上午好, 中午好, 下午好, 晚上好, 在吗, 在么, 在不在, 在嘛, 有人吗, 有人在吗, 人呢, 你在吗, 您在吗, 在不, 有人没, 客服在吗, 客服你好, 你好客服, 新年好, 新年快乐, 节日快乐, 亲, 亲亲, 亲在吗,
    请问, 请问一下, 问一下, 想问一下, 我想问一下, 我想咨询一下, 咨询一下, 咨询, 我有个问题, 我有问题, 有个问题, 有问题想问, 我想问个问题, 想问个问题, 问个问题, 能帮我吗, 可以帮我吗, 帮帮我, 帮忙, 帮个忙, 需要帮助, 我需要帮助, 帮助, 开始`,
};

/** Words that may stand beside such a phrase and change nothing. */
export const SMALL_TALK_FILLERS = `
  thats, its, im, a lot, again, all, and, any way, anyway, as well, bot, buddy, but, dear, dude, everyone, everybody, everything, exactly, folks, for now, for that, for this, for your answer, for your reply, for the answer, for the info, for the information, for the quick reply, friend, guys, here, i, indeed,
  just, ladies, madam, man, mate, me, miss, mister, mr, much, my friend, now, please, pls, plz, robot, sir, so, so much, team, that, then, there, this, to you, today, tonight, too, very, very much, very well, well, with that, with this, yes, you, you guys, you too, your, then thanks, it, is, was, really, oh, ah, um, uh, er,
  呀, 啊, 哦, 噢, 喔, 了, 的, 吧, 呢, 嘛, 哈, 啦, 哒, 哟, 呦, 诶, 欸, 你, 您, 你们, 我, 那, 那就, 那个, 就, 先, 都, 也, 很, 真, 太, 非常, 亲, 各位, 大家, 老师, 小姐姐, 小哥, 客服, 客服小姐姐, 机器人, 朋友, 一下, 哈哈, 嗯, 啊啊, 麻烦, 请, 有, 没有, 今天, 现在`;
