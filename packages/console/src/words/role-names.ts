import type { Role } from "@signalbox/contract";
import type { Language } from "../preferences/index.ts";

/** Kept here, not in the catalogue: needed by members and by people who are invited. */
export const ROLE_NAMES: Record<Language, Record<Role, string>> = {
  en: {
    owner: "Owner",
    developer: "Developer",
    lead: "Lead",
    editor: "Editor",
    support: "Support",
    viewer: "Viewer",
  },
  "zh-CN": {
    owner: "所有者",
    developer: "开发者",
    lead: "主管",
    editor: "编辑",
    support: "客服",
    viewer: "查看者",
  },
};
