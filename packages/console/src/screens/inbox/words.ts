import { type Language, usePreferences } from "../../preferences/index.ts";
import { en } from "./words-en.ts";
import { zhCn } from "./words-zh-cn.ts";

export type InboxWords = typeof en;

const LANGUAGES: Record<Language, InboxWords> = { en, "zh-CN": zhCn };

export function useInboxWords(): InboxWords {
  return LANGUAGES[usePreferences().language];
}
