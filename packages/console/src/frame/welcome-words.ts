import { type Language, usePreferences } from "../preferences/index.ts";

/** Kept here, not in the catalogue: whoever is signed in never needs these. */
const en = {
  signIn: {
    title: "Sign in to Signalbox",
    lead: "See every message, find every cause, put it right.",
    email: "Email",
    password: "Password",
    passwordHelp: "Forgot it? Ask an owner of this installation for a new invitation.",
    wrongPassword: "Wrong email or password.",
    tooMany: "Too many attempts. Wait a minute, then try again.",
    code: "Code from your app",
    codeHelp: "Six digits. No phone at hand? Use a recovery code, or ask an owner to turn two-step sign-in off.",
    wrongCode: "This code is wrong, or was used already. Wait for the next one.",
    codeExpired: "This took too long, or too many codes were wrong. Go back and sign in again.",
    tooManyCodes: "Too many wrong codes. Try again in an hour, or ask an owner to turn two-step sign-in off.",
    back: "Back",
    token: "Operator token",
    tokenHelp: "It starts with sbo_. It stays in this tab and is forgotten when you close it.",
    submit: "Sign in",
    submitToken: "Sign in with a token",
    refused:
      "This token was not accepted. Check that you copied all of it, and that it was not revoked or expired.",
    needsRead: "This token has no read scope. Create one with the scopes read and manage.",
    noToken: "No token yet?",
    noTokenHelp: "Create one with the bootstrap token of your installation:",
    ended: "Your session has ended. Sign in again to continue.",
  },
  join: {
    title: "Create your account",
    wait: "One moment…",
    lead: (role: string, agent: string | undefined) =>
      agent === undefined ? `You are invited as ${role}.` : `You are invited as ${role} of ${agent}.`,
    roles: {
      owner: "owner",
      developer: "developer",
      editor: "editor",
      support: "support",
      viewer: "viewer",
    },
    name: "Your name",
    passwordHelp: "At least 12 characters.",
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
};

const zhCn: typeof en = {
  signIn: {
    title: "登录 Signalbox",
    lead: "看见每条消息，找到每个原因，及时修复。",
    email: "邮箱",
    password: "密码",
    passwordHelp: "忘记密码？请让所有者重新邀请你。",
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
    ended: "登录已过期，请重新登录。",
  },
  join: {
    title: "创建账号",
    wait: "请稍候…",
    lead: (role, agent) => (agent === undefined ? `你受邀成为${role}。` : `你受邀成为 ${agent} 的${role}。`),
    roles: { owner: "所有者", developer: "开发者", editor: "编辑", support: "客服", viewer: "查看者" },
    name: "姓名",
    passwordHelp: "至少 12 个字符。",
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
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

/** What is said to whoever is not signed in yet. */
export function useWelcomeWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
