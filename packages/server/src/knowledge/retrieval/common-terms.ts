import { termsOf } from "./terms.ts";

/**
 * Words that questions are made of whatever they are about, by how large a share of questions has them. A base of five
 * pairs cannot know that "how" says little and "refund" much: until it is large enough to know better, this does.
 */
const OFTEN = 0.3;
const SOMETIMES = 0.1;

const LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "ru"] as const;
type Language = (typeof LANGUAGES)[number];

/** A language with blanks has a list of its own; the others share one, since the script tells them apart. */
const WORDS: [share: number, texts: Record<Language | "unspaced", string>][] = [
  [
    OFTEN,
    {
      en: "a an and are can do does for how i in is it me my of on the to what you your",
      de: "das der die den ein eine ich ist kann mein meine und was wie zu",
      fr: "comment de des du est et je la le les mon ma que quel un une",
      es: "como cual de el en es la las los me mi mis para que un una",
      pt: "a as como da de do e em eu meu minha o os para que um uma",
      it: "che come di e il io la le mi mio per posso un una",
      nl: "de een en het hoe ik in is kan mijn op van wat",
      ru: "в и как мне мой моя на не что я",
      unspaced: "怎么 如何 什么 我的 可以 ですか ますか どう 何で 어떻게 무엇",
    },
  ],
  [
    SOMETIMES,
    {
      en: "about am any as at be been but by could did from get have if into not or please should so that their there they this was we when where which who why will with would want need know tell help let",
      de: "auf aus bei bitte bin dass dem einen einer er es für geht haben habe ich im kein man mich mir mit nicht oder sie sich sind um von wann warum welche wenn wer wir wird wo",
      fr: "au avec ce cette dans en elle faire il ils mes mais ne nous ou où pas peut plus pour pourquoi puis quand qui sa se son sur votre vous",
      es: "al con cuando del donde esta este hay lo más no nos o pero por porque puedo quien se si su sus tengo",
      pt: "ao com esse esta este isso mais mas não no na nos ou onde por porque posso quando quem se seu sua tenho",
      it: "al alla con cosa da dei del della dove ho i in lo ma non o perché quando se sono",
      nl: "aan als bij dat die dit er hebben heb kun maar met niet of om te uit voor waar wanneer we",
      ru: "бы был вы где для до его если есть за из или к когда кто ли мы могу можно но о от по почему с со так то у это",
      unspaced:
        "为什么 哪里 哪些 是否 能否 请问 多少 需要 怎样 的是 吗 呢 します ください できま いつ どこ なぜ 언제 어디 왜",
    },
  ],
];

const SHARES = new Map<string, number>();
for (const [share, texts] of WORDS)
  for (const text of Object.values(texts))
    for (const term of termsOf(text)) if (!SHARES.has(term)) SHARES.set(term, share);

/** How large a share of questions in general has this term. */
export function commonShare(term: string): number {
  return SHARES.get(term) ?? 0;
}

export function isCommonTerm(term: string): boolean {
  return SHARES.has(term);
}

/** The terms of a text that say what it is about, each once. */
export function contentTermsOf(text: string): string[] {
  return [...new Set(termsOf(text))].filter((term) => commonShare(term) === 0);
}

/** The languages that have a term among their common words. */
const LANGUAGES_OF = new Map<string, Language[]>();
for (const language of LANGUAGES)
  for (const term of new Set(WORDS.flatMap(([, texts]) => termsOf(texts[language]))))
    LANGUAGES_OF.set(term, [...(LANGUAGES_OF.get(term) ?? []), language]);
/** One word alone is a word of several languages. */
const LANGUAGE_TERMS_MIN = 2;

/** The language whose common words a text has most of; undefined where it has too few of any, or as many of another. */
export function languageOf(text: string): Language | undefined {
  const counts = new Map<Language, number>(LANGUAGES.map((language) => [language, 0]));
  for (const term of new Set(termsOf(text)))
    for (const language of LANGUAGES_OF.get(term) ?? [])
      counts.set(language, (counts.get(language) ?? 0) + 1);
  const [first, second] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (first === undefined || first[1] < LANGUAGE_TERMS_MIN || first[1] === second?.[1]) return undefined;
  return first[0];
}
