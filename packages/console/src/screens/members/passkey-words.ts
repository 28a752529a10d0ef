import { type Language, usePreferences } from "../../preferences/index.ts";

const en = {
  title: "Passkeys",
  lead: "Sign in with your fingerprint, face or security key, without password and code.",
  none: "No passkeys yet.",
  add: "Add passkey",
  addLead: "Your browser then asks you to confirm on your device.",
  name: "Name",
  nameHelp: "Which device it is on.",
  password: "Your password",
  wrongPassword: "This is not your password.",
  tooMany: "Too many attempts. Wait a while, then try again.",
  notMade: "Your device did not create a passkey. Try again.",
  isKnown: "This device already has a passkey for your account.",
  added: "Passkey added",
  created: "Added",
  lastUsed: "Last used",
  neverUsed: "Never used",
  rename: "Rename",
  renamed: "Passkey renamed",
  save: "Save",
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeLead: "It signs nobody in any more. Your other ways to sign in stay.",
  removed: "Passkey removed",
};

const zhCn: typeof en = {
  title: "通行密钥",
  lead: "用指纹、面容或安全密钥登录，无需密码和验证码。",
  none: "还没有通行密钥。",
  add: "添加通行密钥",
  addLead: "随后浏览器会请你在设备上确认。",
  name: "名称",
  nameHelp: "它在哪台设备上。",
  password: "你的密码",
  wrongPassword: "密码不正确。",
  tooMany: "尝试次数过多，请稍后再试。",
  notMade: "设备未创建通行密钥，请重试。",
  isKnown: "这台设备上已有你账号的通行密钥。",
  added: "已添加通行密钥",
  created: "添加于",
  lastUsed: "上次使用",
  neverUsed: "从未使用",
  rename: "重命名",
  renamed: "已重命名",
  save: "保存",
  remove: "移除",
  removeTitle: (name) => `移除“${name}”？`,
  removeLead: "之后它将无法登录。其他登录方式不受影响。",
  removed: "已移除通行密钥",
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

export function usePasskeyWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
