import type { PersonRequest } from "./person-request-en.ts";

// Persons are marked before anything is looked for: P is certainly one, V may also be the name of a thing.
/** 人工 is also what is made or done by hand, and 真人 is in the names of games and films. */
const CERTAIN =
  /(?:人工(?!智能|费|成本|审核|翻译|草|湖|关节|制|做|授|呼吸|降|造|合成|养|流产|耳|心|林|繁|打)|真人(?!秀|cs|拍|版|电影|游戏|照)|活人)(?:客服|服务|坐席|座席|咨询|接待|专员|帮助|协助|支持|处理|人员){0,3}/g;
const VAGUE = /客服(?!系统|电话|邮箱|微信|岗|头像|热线|号码|机器人|软件|平台)(?:人员|专员|代表)?/g;

const NEGATED = /(?:不要|不用|不想|不需要|无需|别|不必|没必要|用不着)[^PV机]{0,4}[PV]/;
const ABOUT_WHO_SPEAKS = /是(?:不是)?[PV]|[PV]还是|是机器人/;
const ASKS_ABOUT =
  /时间|几点|多久|多长|收费|费用|要钱|价格|多少|(?<![回打来])电话|号码|热线|邮箱|微信|[上下]班|周末|节假日|什么时候|什么是|是什么|什么意思|区别|会说|看到|态度|投诉|评价|工资|招|应聘|岗|系统|添加|设置|修改|在哪|哪个|几个/;
const NARRATED =
  /已经|刚才|昨天|前天|上次|上周|之前|之后|的时候|(?:联系|找|转|接)[过了]|[说聊谈]过|[^P]让我(?:找|联系|问)/;

/** A person is followed by what it is to do, or by nothing: in 人工签收 it is part of another word. */
const REQUEST =
  /(?:转[接到给]?|接通?|切换?到?|(?<!更)换成?|呼叫|叫|喊|找|联系|咨询|安排|要|来|让|请|给我|进入|求|派)(?:一下|一个|一位|你们的?|[个位到下给]){0,3}[PV](?=$|[PV来帮吧了啊谢吗么呢嘛给跟和联回说聊解接介在一问协答我就才])/;
const SUPERIOR = /(?:找|叫|让|喊|请|跟|和|与)(?:一下)?你们的?(?:经理|主管|负责人|领导|老板|工作人员)/;
const TALK = /[和跟与同找](?:你们的?)?(?:[PV]|真?人)(?:说话|说|聊|谈|沟通|交流|对话|通话|讲)/;
const ANYBODY = /(?:来|找|叫|派|换)(?:个|一个|位|一位)人(?:来|跟我|和我|帮|说|处理|接|$)/;
const HOW_TO_REACH = /(?:怎么|怎样|如何)(?:联系|找)(?:一下|你们的?|到){0,2}V/;
const IS_THERE = /有(?:没有)?[PV](?:吗|么|在|$)/;
const REFUSES_BOT = /(?:不想|不要|别|不跟|不和|不用|拒绝|受够|讨厌)再?[和跟与用让要]?机器人/;
const POLITE = /你好|您好|请问|麻烦|谢谢|请|吧|啊|呀|呢|哦|嘛|一下|在吗|在不在|赶紧|马上|立刻|快/g;

/** What one sentence in Chinese says. */
export function readChinese(sentence: string): PersonRequest | undefined {
  if (REFUSES_BOT.test(sentence)) return "asks";
  if (ANYBODY.test(sentence) || SUPERIOR.test(sentence)) return "asks";
  const marked = sentence.replaceAll(CERTAIN, "P").replaceAll(VAGUE, "V");
  if (marked === sentence) return TALK.test(marked) ? "asks" : undefined;
  const isAboutSomething = [NEGATED, ABOUT_WHO_SPEAKS, ASKS_ABOUT, NARRATED].some((about) =>
    about.test(marked),
  );
  if (isAboutSomething) return undefined;
  if (HOW_TO_REACH.test(marked)) return "may_ask";
  if (REQUEST.test(marked) || TALK.test(marked)) return "asks";
  if (IS_THERE.test(marked)) return "may_ask";
  const bare = marked.replaceAll(POLITE, "");
  if (/^P+$/.test(bare)) return "asks";
  return /^[PV]+$/.test(bare) ? "may_ask" : undefined;
}

/** Whether a text wants to know something. */
export function isChineseQuestion(text: string): boolean {
  return ASKS_ABOUT.test(text);
}
