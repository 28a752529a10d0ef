import { type Language, usePreferences } from "../preferences/index.ts";
import { ROLE_NAMES } from "../words/index.ts";

/** Kept here, not in the catalogue: signed-in people never need these. */
const en = {
  signIn: {
    title: "Sign in to Signalbox",
    lead: "See every message, find every cause, put it right.",
    email: "Email",
    password: "Password",
    passwordHelp: "Forgot it? Ask an owner of this installation for a link to set a new one.",
    wrongPassword: "Wrong email or password.",
    tooMany: "Too many attempts. Wait a minute, then try again.",
    code: "Code from your app",
    codeHelp:
      "Six digits. No phone at hand? Use a recovery code, or ask an owner to turn two-step sign-in off.",
    wrongCode: "This code is wrong, or was used already. Wait for the next one.",
    codeExpired: "This took too long, or too many codes were wrong. Go back and sign in again.",
    tooManyCodes: "Too many wrong codes. Try again in an hour, or ask an owner to turn two-step sign-in off.",
    back: "Back",
    token: "Operator token",
    tokenHelp: "Starts with sbo_. Kept in this tab until you close it.",
    submit: "Sign in",
    submitToken: "Sign in with a token",
    refused:
      "This token was not accepted. Check that you copied all of it, and that it was not revoked or expired.",
    needsRead: "This token has no read scope. Create one with the scopes read and manage.",
    noToken: "No token yet?",
    noTokenHelp: "Create one with the bootstrap token of your installation:",
    ends: {
      ended: "Your session has ended. Sign in again to continue.",
      linkUsed:
        "This sign-in link was already used. For a new one, stop signalbox dev with Ctrl-C and run it again. Or paste the operator token that it printed.",
      linkOld:
        "This sign-in link is from an earlier start of signalbox dev. Open the link that it printed last, or paste the operator token.",
    },
  },
  join: {
    title: "Create your account",
    wait: "One moment…",
    lead: (role: string, agent: string | undefined) =>
      `You are invited as ${role.toLowerCase()}${agent === undefined ? "" : ` of ${agent}`}.`,
    roles: ROLE_NAMES.en,
    name: "Your name",
    passwordHelp: "At least 12 characters, and not easy to guess.",
    submit: "Create account",
    incomplete: "Enter your name, an email address and a password of at least 12 characters.",
    taken: "You already have an account with this email. Sign in to accept the invitation.",
    haveAccount: "I already have an account",
    newAccount: "Create a new account",
    acceptTitle: "Accept the invitation",
    signInLead: "Sign in with your account to accept it.",
    signedInAs: (name: string, email: string) => `You are signed in as ${name} (${email}).`,
    accept: "Accept invitation",
    otherAccount: "Use another account",
    forAnother: (email: string) =>
      `This invitation is for ${email}. Sign out, then sign in with that account.`,
    alreadyHave: "You already have this role, or one that allows more. Nothing was changed.",
    closed: "This invitation is no longer open",
    closedLead: "It was used or withdrawn, has expired, or is for another address. Ask for a new one.",
  },
  reset: {
    title: "Set a new password",
    wait: "One moment…",
    lead: (email: string) => `For the account ${email}.`,
    password: "New password",
    passwordHelp: "At least 12 characters, and not easy to guess.",
    submit: "Set password",
    done: "Your password is set",
    doneLead: "You are signed out everywhere. Sign in with your new password.",
    closed: "This link no longer works",
    closedLead: "It was used or replaced, or has expired. Ask an owner for a new one.",
  },
  passkey: {
    button: "Sign in with a passkey",
    notUsed: "Your device gave no passkey. Try again, or sign in another way.",
    unknown: "This passkey is not registered here any more. Sign in another way.",
    failed: "This passkey did not sign you in. Try again, or sign in another way.",
  },
  oidc: {
    button: (label: string) => `Continue with ${label}`,
    or: "or",
    wait: "Signing you in…",
    calledOff: "You were not signed in at your identity provider. Go back to try again.",
    failed: "Your identity provider did not confirm this sign-in. Go back to try again.",
    unknown:
      "You have no account here yet. Ask an owner to invite the email address that your identity provider has verified.",
  },
};

const zhCn: typeof en = {
  signIn: {
    title: "登录 Signalbox",
    lead: "看见每条消息，找到每个原因，及时修复。",
    email: "邮箱",
    password: "密码",
    passwordHelp: "忘记密码？请向所有者索取重置链接。",
    wrongPassword: "邮箱或密码错误。",
    tooMany: "尝试次数过多，请稍等一分钟再试。",
    code: "应用中的验证码",
    codeHelp: "六位数字。手机不在身边？请使用恢复码，或让所有者停用两步登录。",
    wrongCode: "验证码错误或已被使用。请等待下一个。",
    codeExpired: "已超时，或错误次数过多。请返回重新登录。",
    tooManyCodes: "错误次数过多。请一小时后再试，或让所有者停用两步登录。",
    back: "返回",
    token: "运维令牌",
    tokenHelp: "以 sbo_ 开头。仅保存在本标签页，关闭后即清除。",
    submit: "登录",
    submitToken: "用令牌登录",
    refused: "该令牌未被接受。请检查是否复制完整，以及是否已吊销或过期。",
    needsRead: "该令牌没有 read 权限。请创建具有 read 和 manage 权限的令牌。",
    noToken: "还没有令牌？",
    noTokenHelp: "用安装时的引导令牌创建一个：",
    ends: {
      ended: "登录已过期，请重新登录。",
      linkUsed:
        "该登录链接已被使用过。如需新的链接，请用 Ctrl-C 停止 signalbox dev 再重新运行；也可以粘贴它输出的运维令牌。",
      linkOld: "该登录链接来自之前启动的 signalbox dev。请打开它最后输出的链接，或粘贴运维令牌。",
    },
  },
  join: {
    title: "创建账号",
    wait: "请稍候…",
    lead: (role, agent) => (agent === undefined ? `你受邀成为${role}。` : `你受邀成为 ${agent} 的${role}。`),
    roles: ROLE_NAMES["zh-CN"],
    name: "姓名",
    passwordHelp: "至少 12 个字符，且不易被猜到。",
    submit: "创建账号",
    incomplete: "请输入姓名、邮箱地址，以及至少 12 个字符的密码。",
    taken: "该邮箱已有账号。请登录以接受邀请。",
    haveAccount: "我已有账号",
    newAccount: "创建新账号",
    acceptTitle: "接受邀请",
    signInLead: "请用你的账号登录以接受邀请。",
    signedInAs: (name, email) => `你已登录为 ${name}（${email}）。`,
    accept: "接受邀请",
    otherAccount: "使用其他账号",
    forAnother: (email) => `该邀请是给 ${email} 的。请退出登录，再用该账号登录。`,
    alreadyHave: "你已拥有该角色或权限更高的角色。未做任何更改。",
    closed: "该邀请已失效",
    closedLead: "它已被使用、撤回或过期，或者是给其他邮箱的。请索取新的邀请。",
  },
  reset: {
    title: "设置新密码",
    wait: "请稍候…",
    lead: (email) => `账号：${email}。`,
    password: "新密码",
    passwordHelp: "至少 12 个字符，且不易被猜到。",
    submit: "设置密码",
    done: "密码已设置",
    doneLead: "你已在所有设备上退出登录。请用新密码登录。",
    closed: "该链接已失效",
    closedLead: "它已被使用、替换或过期。请向所有者索取新的链接。",
  },
  passkey: {
    button: "使用通行密钥登录",
    notUsed: "设备未提供通行密钥。请重试，或用其他方式登录。",
    unknown: "该通行密钥已不再有效。请用其他方式登录。",
    failed: "通行密钥登录失败。请重试，或用其他方式登录。",
  },
  oidc: {
    button: (label) => `使用 ${label} 继续`,
    or: "或",
    wait: "正在登录…",
    calledOff: "你未在身份提供商处登录。请返回重试。",
    failed: "身份提供商未确认本次登录。请返回重试。",
    unknown: "你在这里还没有账号。请让所有者邀请身份提供商已验证的邮箱地址。",
  },
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

/** Texts for people who are not signed in yet. */
export function useWelcomeWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
