import { normalized } from "@signalbox/contract";

/** A kind of statement that costs somebody money or gives a secret away: it passes only where a source says it too. */
interface Consequence {
  said: RegExp;
  /** In the source; the same words where left out. */
  borneOutBy?: RegExp;
}

/** What a user could be robbed with. */
const SECRETS: readonly Consequence[] = [
  { said: /\bpass ?(?:words?|codes?|phrases?)\b|\bpins?\b|\bcredentials?\b|\blog-?in details\b|密码|口令/ },
  {
    said: /\b(?:card|account|iban|bank(?:ing)?|cvv|cvc) ?(?:numbers?|details|data|codes?|information)\b|\b(?:iban|cvv|cvc)\b|卡号|账号|帐号|账户信息|银行卡|信用卡/,
  },
  {
    said: /\b(?:security|verification|one-time|confirmation|sms|access) codes?\b|\botp\b|\b(?:private|secret|recovery) (?:keys?|phrases?)\b|验证码|校验码|动态码|私钥|助记词/,
  },
  {
    said: /\bpassports?\b|\bsocial security\b|\b(?:id|identity) (?:cards?|numbers?|documents?)\b|\bssn\b|\bdate of birth\b|\bmaiden name\b|身份证|护照|社保号|出生日期/,
  },
];

/** What a user would pay, or let onto a device, or where a stranger would go on. */
const STEPS: readonly Consequence[] = [
  {
    said: /\bpay\b|\btransfer\b|\bwire\b|\bdeposits?\b|\bprepay\w*|转账|汇款|付款|支付|押金|定金|缴费/,
    borneOutBy:
      /\bpay|\bpaid\b|\btransfer|\bwire\b|\bdeposit|\bprice|\bcosts?\b|\bfees?\b|\binvoice|\bcards?\b|\bcash\b|转账|汇款|付|押金|定金|费|价/,
  },
  {
    said: /\bdownload\w*|\binstall(?:ing)?\b|\bscan(?:ning)?\b|\bclick\w*|下载|安装|扫码|扫描|点击/,
  },
  { said: /\bwhatsapp\b|\btelegram\b|\bwechat\b|\bsignal app\b|微信|私聊|加群/ },
];

/** What the company would be held to. */
const PROMISES: readonly Consequence[] = [
  {
    said: /\bpromis\w*|\bguarante\w*|\bassur(?:e|es|ed|ance)\b|\bpledg\w*|承诺|保证|担保/,
    borneOutBy: /\bpromis|\bguarant|\bwarrant|\bassur|\bpledg|承诺|保证|担保|质保|保修/,
  },
  {
    said: /\brefund\w*|\breimburs\w*|\bmoney back\b|\b(?:paid|pay) back\b|\bcash ?back\b|退款|退钱|退费|返现|返还/,
  },
  { said: /\bcompensat\w*|\bdamages\b|\bpay ?outs?\b|赔偿|补偿|赔付/ },
  {
    said: /\bfree\b|\bno (?:charge|cost)\b|\bcomplimentary\b|\bgratis\b|\bcosts? nothing\b|免费|赠送|白送|免单|不收费/,
    borneOutBy:
      /\bfree\b|\bno (?:charge|cost|fee)|\bcomplimentary\b|\bgratis\b|\bincluded\b|免费|赠|免单|不收|包邮/,
  },
  {
    said: /\bdiscounts?\b|\bvouchers?\b|\bcoupons?\b|\bgift cards?\b|\bstore credit\b|\bhalf price\b|折扣|打折|优惠|代金券|礼品卡|红包/,
  },
  { said: /\bpriz\w*|\bwon\b|\bwinners?\b|\blottery\b|\bjackpot\b|中奖|奖金|大奖/ },
  {
    said: /\b(?:approved|authori[sz]ed|waived?|entitled)\b|批准|减免|豁免/,
    borneOutBy: /\bapprov|\bauthori[sz]|\bwaiv|\bentitl|\bright to\b|批准|减免|豁免|有权/,
  },
];

/** Whether a claim speaks of a secret or makes a promise of which its source has no word. */
export function isBeyondSource(claim: string, source: string): boolean {
  const [said, written] = [normalized(claim).toLowerCase(), normalized(source).toLowerCase()];
  return [...SECRETS, ...STEPS, ...PROMISES].some(
    ({ said: words, borneOutBy = words }) => words.test(said) && !borneOutBy.test(written),
  );
}
