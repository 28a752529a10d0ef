/** A question mark of any script, perhaps with something closing behind it: quotes, brackets, an exclamation mark. */
const ENDS_ASKING = /[?？؟;՞][\s)\]}"'»”’」』!！.。…*_]*$/u;
const MARK_INSIDE = /[?？؟](?:\s|$|["'»”’」』)])/u;

const OPENERS = [
  "how|what|why|when|where|who|whom|whose|which|what's|who's|how's",
  "wie|was|warum|wieso|weshalb|wann|wo|woher|wohin|wer|wen|wem|welche|welcher|welches|welchen|welchem|womit|wozu|wofür",
  "comment|pourquoi|quand|où|qui|que|qu'est-ce|quel|quels|quelle|quelles|combien|est-ce",
  "cómo|qué|por qué|cuándo|dónde|quién|quiénes|cuál|cuáles|cuánto|cuántos",
  "como|o que|por que|quando|onde|quem|qual|quais|quanto|quantos",
  "come|cosa|che cosa|perché|dove|chi|quale|quali|quanti",
  "как|что|почему|зачем|когда|где|куда|откуда|кто|какой|какая|какое|какие|сколько|можно ли|чем",
  "jak|co|dlaczego|kiedy|gdzie|kto|który|która|które|ile|czy",
  "hoe|wat|waarom|wanneer|waar|wie|welk|welke",
  "nasıl|ne|neden|niçin|ne zaman|nerede|kim|hangi|kaç",
].flatMap((words) => words.split("|"));
const BEFORE_OPENER = /^["'«“‘(¿\s]+/u;
const BEHIND_OPENER = /^[\s,.:…'’-]/u;
const OPENS_ASKING_UNSPACED =
  /^(?:如何|怎么|怎样|怎麼|怎樣|为什么|為什麼|为何|為何|什么|什麼|哪|谁|誰|何时|何時|是否|多少|能否|可否|なぜ|どうして|どうやって|どの|どこ|いつ|誰が|何が|何を|어떻게|왜|무엇|언제|어디)/;
const ENDS_ASKING_UNSPACED =
  /(?:吗|嗎|呢|么|ですか|ますか|でしょうか|のか|とは|方法は|なぜか|나요|까요|습니까|인가요|ㅂ니까)[。.]?$/;

const NUMBER = /^(?:\(?\d{1,3}(?:\.\d{1,3}){0,5}[.)：:]?|[QqFf]\s?\d{1,3}[.:)：])[\s\u3000]+(?=\S)/;

/** Whether a title or a line of its own asks something, in the languages we can tell. */
export function isQuestion(title: string): boolean {
  const text = withoutNumber(title);
  if (text.length < 2) return false;
  if (ENDS_ASKING.test(text.slice(-20)) && !text.endsWith(";")) return true;
  // Greek asks with a semicolon.
  if (text.endsWith(";")) return /\p{Script=Greek}/u.test(text);
  const start = text.slice(0, 40);
  return (
    opensAsking(start) ||
    OPENS_ASKING_UNSPACED.test(start) ||
    ENDS_ASKING_UNSPACED.test(text.slice(-12)) ||
    MARK_INSIDE.test(text.slice(0, 1_000))
  );
}

function opensAsking(text: string): boolean {
  const start = text.replace(BEFORE_OPENER, "").toLowerCase();
  return OPENERS.some((word) => start.startsWith(word) && BEHIND_OPENER.test(start.slice(word.length)));
}

/** A line that certainly asks: prose is full of words like "when", and it quotes the questions of others. */
export function endsWithQuestionMark(text: string): boolean {
  return (
    /[?？؟][\s*_!！]*$/.test(text.slice(-10)) ||
    (/;\s*$/.test(text.slice(-4)) && /\p{Script=Greek}/u.test(text))
  );
}

const CONTENTS =
  /^(?:table of contents|contents|inhaltsverzeichnis|inhalt|table des matières|sommaire|índice|tabla de contenidos|indice|содержание|оглавление|spis treści|inhoudsopgave|içindekiler|目录|目錄|目次|차례|목차)[:：]?$/iu;

/** The title of a list of titles. */
export function isContentsTitle(title: string): boolean {
  return CONTENTS.test(title.trim());
}

/** The number of a section is no part of its title. */
export function withoutNumber(title: string): string {
  return title.replace(NUMBER, "").trim();
}
