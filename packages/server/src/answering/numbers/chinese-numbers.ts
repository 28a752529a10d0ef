import { COUNT_MAX, type WrittenNumber } from "./written-number.ts";

const DIGITS = new Map(
  ["零〇", "一壹", "二两兩贰", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"].flatMap(
    (characters, value) => [...characters].map((character): [string, number] => [character, value]),
  ),
);
const UNITS = new Map([
  ["十", 10],
  ["拾", 10],
  ["百", 100],
  ["佰", 100],
  ["千", 1_000],
  ["仟", 1_000],
]);
const MYRIADS = new Map([
  ["万", 10_000],
  ["萬", 10_000],
  ["亿", 100_000_000],
  ["億", 100_000_000],
]);
const RUN = /[零〇一壹二两兩贰三叁四肆五伍六陆七柒八捌九玖十拾百佰千仟万萬亿億]+/g;
const OPEN = /[零〇一壹二两兩贰三叁四肆五伍六陆七柒八捌九玖十拾百佰千仟万萬亿億]{1,64}[多余来]?[个個]?$/;
const SCALES_ALONE = /^[百佰千仟万萬亿億]+$/;
const HAS_UNIT = /[十拾百佰千仟万萬亿億]/;
/** The first of October, and "in case". */
const OTHER_WORDS = new Set(["十一", "万一"]);
const KILO = /[千仟]$/;
const KILO_UNIT = /^[克米瓦卡赫伏帕]/;

/** What makes numerals a number: many words of Chinese are written with one, as 一般, 十分, 万一. */
const MEASURED =
  /^(?:[多余来])?(?:[个個]|工作日|自然日|[天日周週年时時次遍倍折成件台只条張张份位人名家间块塊元米里斤克吨升毫层層楼号號款本页頁箱瓶盒套批岁歲杯双辆部颗粒根晚夜轮點点秒%]|星期|礼拜|小时|小時|钟头|分钟|分鐘|季度|美元|美金|欧元|英镑|公里|公斤|千克|千米)/;
/** 一 is mostly the article. */
const ONE_UNIT =
  /^(?:[个個]?(?:工作日|自然日|月|星期|礼拜|小时|小時|钟头|季度)|[天日周週年秒]|分钟|分鐘|元|块钱|美元|美金|欧元|英镑)/;
const NO_ONE = /[每同统唯逐这那有任某]$/;
const MONTH = /^月/;
const LISTED =
  /^(?:种|種|步|类|方面|[个個]?(?:方式|方法|办法|步骤|途径|选择|选项|原因|条件|情况|要点|方面|问题))/;
const LISTED_POINTS = /(?:以下|下列|如下|这|有|共)$/;
const WEEKDAY = /(?:周|週|星期|礼拜)$/;
const EVERY_WEEK = /每(?:周|週|星期|礼拜)$/;
const COUNTS_EVERY_WEEK = /^(?:[次天遍个個]|小时)/;
const DIGIT_BEFORE = /[\d.]$/;
const PERCENT = /百分之$/;

/** The numbers that Chinese numerals of a text make; the text is normalized. */
export function chineseNumbersIn(text: string): WrittenNumber[] {
  const found: WrittenNumber[] = [];
  for (const match of text.matchAll(RUN)) {
    const before = text.slice(Math.max(0, match.index - 3), match.index);
    const numerals = withoutKilo(match[0], text[match.index + match[0].length] ?? "");
    const to = match.index + numerals.length;
    const behind = text.slice(to, to + 6);
    const how = readAs(numerals, before, behind);
    if (how === "nothing") continue;
    const isIncidental = how === "incidental";
    found.push({ ...valueOf(numerals), from: match.index, to, inWords: true, isIncidental });
  }
  return found;
}

/** 五千克 is five kilograms. */
function withoutKilo(run: string, behind: string): string {
  return run.length > 1 && KILO.test(run) && KILO_UNIT.test(behind) ? run.slice(0, -1) : run;
}

function readAs(numerals: string, before: string, behind: string): "number" | "incidental" | "nothing" {
  // 3万: what the digits mean is not read here.
  if (numerals === "" || DIGIT_BEFORE.test(before) || SCALES_ALONE.test(numerals)) return "nothing";
  if (PERCENT.test(before)) return "number";
  const isOneCharacter = numerals.length === 1;
  if (isOneCharacter && WEEKDAY.test(before) && !(EVERY_WEEK.test(before) && COUNTS_EVERY_WEEK.test(behind)))
    return "nothing";
  if (numerals === "一") return ONE_UNIT.test(behind) && !NO_ONE.test(before) ? "number" : "nothing";
  if (MONTH.test(behind)) return "incidental";
  const value = Number(valueOf(numerals).value);
  const isListed = LISTED.test(behind) || (/^[点點]/.test(behind) && LISTED_POINTS.test(before));
  if (isListed && value <= COUNT_MAX) return "incidental";
  if (OTHER_WORDS.has(numerals)) return /^[天点點月]/.test(behind) ? "number" : "nothing";
  if (MEASURED.test(behind) || isListed) return "number";
  return numerals.length > 2 || (numerals.length === 2 && HAS_UNIT.test(numerals)) ? "number" : "nothing";
}

function valueOf(numerals: string): Pick<WrittenNumber, "value" | "parts"> {
  const characters = [...numerals];
  if (characters.some((character) => UNITS.has(character) || MYRIADS.has(character)))
    return { value: String(sumOf(characters)), parts: [] };
  const digits = characters.map((character) => String(DIGITS.get(character)));
  // 三五天 is three to five days, 二〇二六 a year.
  const value = digits.join("").replace(/^0+(?=\d)/, "");
  return { value, parts: digits.length === 2 && digits[0] !== "0" ? digits : [] };
}

function sumOf(characters: string[]): number {
  let total = 0;
  let group = 0;
  let digit: number | undefined;
  let lastUnit = 1;
  for (const character of characters) {
    const [unit, myriad] = [UNITS.get(character), MYRIADS.get(character)];
    if (unit !== undefined) {
      group += (digit ?? 1) * unit;
      [digit, lastUnit] = [undefined, unit];
    } else if (myriad !== undefined) {
      const section = group + (digit ?? 0);
      total = myriad > 10_000 ? (total + section) * myriad : total + section * myriad;
      [group, digit, lastUnit] = [0, undefined, myriad];
    } else {
      digit = DIGITS.get(character) ?? 0;
      // 一百零五 is 105, 一百五 is 150.
      if (digit === 0) lastUnit = 1;
    }
  }
  return total + group + (digit ?? 0) * (lastUnit > 10 ? lastUnit / 10 : 1);
}

/** Where numerals begin at the end of a text that the next character may change: 二 may become 二十天. */
export function openChineseNumberFrom(text: string): number {
  const start = Math.max(0, text.length - 64);
  const open = OPEN.exec(text.slice(start));
  return open === null ? text.length : start + open.index;
}
