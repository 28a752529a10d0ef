import { normalized } from "@signalbox/contract";

/** Shown as nothing, or as another character's look: what is hidden from people must not be hidden from here. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/** Orders to a model, which no reader is given: to forget its instructions, to show them, to be somebody else. */
const COMMANDS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|sources)\b/,
  /\bnew (?:system )?(?:instructions?|rules):|\b(?:hidden|secret|real|actual) instructions?\b/,
  /\b(?:system|developer|initial|original) prompt\b|\bsystem instructions?\b|\bdeveloper mode\b|\bjailbreak/,
  /\byou are now (?:called|named|\w{0,20}bot\b|an? (?:unrestricted|different|rude|evil|helpful|ai|human)\b)/,
  /\byou are no longer (?:bound|restricted|limited|an? )|\bpretend (?:that )?you\b|\brole-?play as\b/,
  /\bfrom now on,? you (?:must |will |should )?(?:answer|reply|respond|speak|act|say|tell|promise|ignore)\b/,
  /\b(?:reply|respond|answer|output)(?: \w+){0,2} (?:only|exactly|nothing but) with\b|\b(?:reply|respond|answer|output) with (?:only|exactly|nothing but)\b/,
  /\b(?:answer|reply to|respond to) (?:every|each|any|all) (?:questions?|messages?|users?) (?:with|by|as)\b/,
  /\b(?:the|any|this) (?:ai|assistant|language model|llm|chatbot) (?:must|should|shall|has to)\b|\b(?:language model|llm)s? reading\b/,
  /\b(?:note|attention|message|instructions?|dear)(?: to| for)?:? (?:the )?(?:ai|assistant|language model|llm|chatbot)\b/,
  /\brepeat\b.{0,30}\b(?:word for word|verbatim)\b|\bend of (?:the )?(?:sources|context)\b/,
  /<\|\w{2,20}\|>|\[\/?inst\]|<\/?(?:system|sources?|instructions?)>/,
  /(?:忽略|无视|忘记|忘掉|绕过|不要理会|不用管|推翻).{0,16}(?:指令|指示|提示词|规则|设定|限制|系统提示|来源)/,
  /系统提示词?|(?:新的?|真正的?|隐藏的?|秘密)(?:系统)?指令|开发者模式|越狱/,
  /你现在是(?:一个|一名|没有|不受)|你不再(?:是|受)|从现在(?:开始|起)[，,]?你(?:必须|要|只|就)|(?:你要?|请|请你)(?:扮演|假装)/,
  /只(?:能)?(?:输出|回复以下|回答以下)|(?:原样|逐字)(?:输出|重复|复述)|(?:回复|回答)(?:每一?个|所有|任何)(?:问题|用户|消息)时/,
  /(?:语言模型|人工智能|ai助手|助手|机器人)(?:必须|应当|务必)|(?:致|写给|告知)(?:ai|助手|模型|人工智能|语言模型)|(?:来源|资料|上下文)到此结束/,
];

const CHARACTERS_LOOKED_AT = 25_000;

/**
 * Whether a text gives orders to a language model (prompt injection). It is a net with holes: what slips through is held
 * against the sources like every other reply.
 */
export function commandsModel(text: string): boolean {
  const plain = normalized(text.slice(0, CHARACTERS_LOOKED_AT))
    .replaceAll(INVISIBLE, "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
  return COMMANDS.some((pattern) => pattern.test(plain));
}

/** The messages, without those that give orders to a model. */
export function withoutCommands<Message extends { text: string }>(said: Message[]): Message[] {
  return said.filter(({ text }) => !commandsModel(text));
}
