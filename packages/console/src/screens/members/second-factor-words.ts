import { type Language, usePreferences } from "../../preferences/index.ts";

const en = {
  title: "Two-step sign-in",
  lead: "Signing in then also asks for a code from an app on your phone.",
  off: "Off",
  on: "On since",
  codesLeft: (left: number) => (left === 1 ? "1 recovery code left" : `${left} recovery codes left`),
  turnOn: "Turn on",
  turnOff: "Turn off",

  passwordLead: "Confirm that it is you.",
  password: "Password",
  next: "Continue",
  wrongPassword: "This is not your password.",
  tooMany: "Too many attempts. Wait a while, then try again.",
  scanTitle: "Scan with your app",
  scanLead: "Use 1Password, Google Authenticator or any other app for one-time codes.",
  qrCode: "QR code for your authenticator app",
  byHand: "Cannot scan it? Enter this key in the app:",
  code: "Code from the app",
  codeHelp: "Six digits.",
  wrongCode: "This is not the current code. Check that the clock of your phone is right.",
  codesTitle: "Save your recovery codes",
  codesLead: "If you lose your phone, each of these signs you in once. They are not shown again.",
  copyCodes: "Copy codes",
  saved: "I saved them",
  isOn: "Two-step sign-in is on",
  isOnLead: "Your other sessions have ended.",

  offTitle: "Turn off two-step sign-in?",
  offLead: "Your password alone will sign you in. Your recovery codes stop working.",
  anyCode: "Code from the app, or a recovery code",
  wrongAnyCode: "This is neither the current code nor an unused recovery code.",
  isOff: "Two-step sign-in is off",

  more: "More",
  badge: "Two-step",
  reset: "Turn off two-step sign-in",
  resetTitle: (name: string) => `Turn off two-step sign-in for ${name}?`,
  resetLead:
    "For somebody who lost their phone and recovery codes. Their passkeys are removed, they are signed out everywhere and sign in with their password alone. Make sure that it is really them who asks.",
  wasReset: "Two-step sign-in turned off",
};

const zhCn: typeof en = {
  title: "两步登录",
  lead: "登录时还需要输入手机应用上的验证码。",
  off: "未启用",
  on: "启用于",
  codesLeft: (left) => `剩余 ${left} 个恢复码`,
  turnOn: "启用",
  turnOff: "停用",

  passwordLead: "请先确认是你本人。",
  password: "密码",
  next: "继续",
  wrongPassword: "密码不正确。",
  tooMany: "尝试次数过多，请稍后再试。",
  scanTitle: "用应用扫描",
  scanLead: "可使用 1Password、Google Authenticator 或其他验证码应用。",
  qrCode: "用于验证码应用的二维码",
  byHand: "无法扫描？在应用中输入此密钥：",
  code: "应用中的验证码",
  codeHelp: "六位数字。",
  wrongCode: "验证码不正确。请检查手机时间是否准确。",
  codesTitle: "保存恢复码",
  codesLead: "手机丢失时，每个恢复码可登录一次。它们不会再次显示。",
  copyCodes: "复制恢复码",
  saved: "我已保存",
  isOn: "两步登录已启用",
  isOnLead: "你的其他登录会话已结束。",

  offTitle: "停用两步登录？",
  offLead: "之后仅凭密码即可登录，恢复码将失效。",
  anyCode: "应用中的验证码或恢复码",
  wrongAnyCode: "这既不是当前验证码，也不是未使用的恢复码。",
  isOff: "两步登录已停用",

  more: "更多",
  badge: "两步登录",
  reset: "停用两步登录",
  resetTitle: (name) => `为 ${name} 停用两步登录？`,
  resetLead:
    "适用于丢失手机和恢复码的人。对方的通行密钥会被移除，并将在所有设备上退出登录，之后仅凭密码登录。请确认确实是本人提出的请求。",
  wasReset: "两步登录已停用",
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

export function useSecondFactorWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
