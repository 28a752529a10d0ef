import type { QaChunk } from "@signalbox/contract";

type SeedPair = readonly [question: string, answer: string, ...alternates: string[]];

/** What people ask a small shop first, with other ways to ask it. */
const ENGLISH: readonly SeedPair[] = [
  [
    "When do you open?",
    "We open at nine, every day but Sunday.",
    "opening hours",
    "What time do you close?",
    "Are you open on Saturday?",
  ],
  [
    "Where are you?",
    "On the corner of Mill Lane and the High Street, opposite the station.",
    "What is your address?",
    "How do I find the shop?",
  ],
  [
    "Do you deliver?",
    "Yes: within the town, the same day, for orders before noon.",
    "Can you bring it to my house?",
    "home delivery",
  ],
  [
    "How much does delivery cost?",
    "Delivery is 3 euros, and free from 40 euros on.",
    "delivery fee",
    "Is shipping free?",
  ],
  [
    "Can you ship to another city?",
    "Yes, by parcel within the country for 6 euros. It takes two to three days.",
    "Do you send parcels?",
    "Do you ship abroad?",
  ],
  [
    "How can I pay?",
    "In cash, by card, or by invoice if you are a regular customer.",
    "Do you take credit cards?",
    "payment methods",
    "Can I pay by phone?",
  ],
  [
    "Can I return something?",
    "Unopened goods come back within thirty days; bring the receipt.",
    "return policy",
    "I want to send something back",
  ],
  [
    "When do I get my refund?",
    "At once in the shop, and within five days if you paid by card.",
    "How do I get my money back?",
    "Where is my refund?",
  ],
  [
    "What if something is damaged?",
    "Bring it back or send us a photo within a week, and we replace it.",
    "My item arrived broken",
    "It does not work",
  ],
  [
    "Where is my order?",
    "We text you when the driver leaves. Call 555-0100 if nothing has come by six.",
    "track my order",
    "My delivery has not arrived",
  ],
  [
    "How do I change my order?",
    "Call 555-0100 before noon and tell us what to change.",
    "Can I add something to my order?",
  ],
  [
    "How do I cancel my order?",
    "Call 555-0100 before the driver leaves; you pay nothing.",
    "I do not want my order any more",
  ],
  [
    "How can I reach you by phone?",
    "Call 555-0100 while the shop is open, or write to shop@example.com.",
    "phone number",
    "What is your email address?",
    "contact",
  ],
  [
    "Can I talk to a person?",
    "Of course: press the button for a person above, or call 555-0100 while the shop is open.",
    "Is there a human I can ask?",
  ],
  [
    "Do you have gift cards?",
    "Yes, from 10 to 200 euros, at the counter or by email.",
    "Can I buy a voucher?",
    "gift voucher",
  ],
  ["Do gift cards expire?", "No, they are good for as long as the shop is.", "How long is a voucher valid?"],
  [
    "Do you have a loyalty card?",
    "Yes: the tenth coffee is free, and members get 5 % off on Tuesdays.",
    "Is there a discount for regulars?",
    "customer card",
  ],
  [
    "Do you give a student discount?",
    "Students get 10 % off with their card, except on newspapers.",
    "Is there anything off for students?",
  ],
  [
    "Do you sell organic products?",
    "Yes, milk, bread, eggs and vegetables; look for the green label.",
    "Is your fruit organic?",
  ],
  [
    "Do you have vegan products?",
    "Yes, on the shelf beside the window, and oat milk for every coffee.",
    "Is there something without meat or milk?",
  ],
  [
    "Do you have gluten-free bread?",
    "Yes, it is baked on Tuesdays and Fridays. We can keep one for you.",
    "bread for people with an allergy",
  ],
  [
    "Where do your vegetables come from?",
    "From three farms within thirty kilometres; the labels name them.",
    "Who grows your vegetables?",
  ],
  [
    "Can I order in advance?",
    "Yes, by phone or here until the evening before, and pick it up from nine on.",
    "Can you put something aside for me?",
    "click and collect",
  ],
  [
    "Do you make gift baskets?",
    "Yes, from 25 euros. Please tell us two days ahead.",
    "hamper",
    "Can you wrap a present?",
  ],
  ["Is there parking?", "Two places behind the shop, free for half an hour.", "Where can I park my car?"],
  [
    "Is the shop accessible by wheelchair?",
    "Yes, there is a ramp at the side door and no step inside.",
    "Can I come in with a pram?",
  ],
  ["Can I bring my dog?", "Dogs wait outside in the shade; there is a bowl of water.", "Are pets allowed?"],
  [
    "Do you take back empty bottles?",
    "Yes, all deposit bottles, at the machine beside the entrance.",
    "bottle deposit",
    "Where do I return bottles?",
  ],
  [
    "Are you hiring?",
    "We look for help on Saturdays. Write to jobs@example.com.",
    "Do you have a job for me?",
    "I want to work for you",
  ],
  [
    "How do you use my data?",
    "We keep your name and address for deliveries, and delete them when you ask us to.",
    "privacy",
    "Can you delete my data?",
  ],
];

const CHINESE: readonly SeedPair[] = [
  ["你们几点开门？", "每天上午九点开门，周日休息。", "营业时间", "几点关门", "周六开吗"],
  ["你们在哪里？", "在磨坊巷和主街的拐角，车站对面。", "店铺地址", "怎么去你们店"],
  ["可以送货吗？", "可以，市区内中午前下单，当天送到。", "能送到家吗", "外送"],
  ["送货要多少钱？", "配送费三元，满四十元免费。", "运费多少", "包邮吗"],
  ["可以寄到外地吗？", "可以，国内快递六元，两到三天送到。", "能发快递吗", "可以寄到国外吗"],
  ["可以怎么付款？", "可以付现金、刷卡，老顾客也可以开发票后付款。", "能刷卡吗", "支付方式", "可以扫码吗"],
  ["可以退货吗？", "未开封的商品三十天内可退，请带上小票。", "退货政策", "我想退掉"],
  ["退款什么时候到账？", "在店里当场退，刷卡的五天内到账。", "钱什么时候退给我", "退钱要多久"],
  ["商品坏了怎么办？", "一周内带回来或者把照片发给我们，我们给您换新的。", "收到的东西是破的", "质量有问题"],
  ["我的订单到哪了？", "送货员出发时会给您发短信。六点还没到请拨打 555-0100。", "查物流", "东西还没送到"],
  ["怎么修改订单？", "请在中午前拨打 555-0100 告诉我们。", "能加一件东西吗"],
  ["怎么取消订单？", "送货员出发前拨打 555-0100 即可，不收费。", "我不想要了"],
  ["怎么联系你们？", "营业时间请拨打 555-0100，或写信到 shop@example.com。", "电话多少", "客服电话", "邮箱"],
  ["可以找人工吗？", "可以，请点上面的人工按钮，或在营业时间拨打 555-0100。", "有真人吗"],
  ["有礼品卡吗？", "有，十元到二百元，可在柜台购买，也可以发到邮箱。", "能买购物卡吗"],
  ["礼品卡会过期吗？", "不会，长期有效。", "购物卡有效期多久"],
  ["有会员卡吗？", "有，第十杯咖啡免费，会员周二九五折。", "老顾客有优惠吗", "积分卡"],
  ["学生有优惠吗？", "凭学生证九折，报纸除外。", "学生打折吗"],
  ["有有机食品吗？", "有，牛奶、面包、鸡蛋和蔬菜，请看绿色标签。", "水果是有机的吗"],
  ["有素食吗？", "有，在靠窗的货架上，咖啡都可以换燕麦奶。", "有不含肉和奶的吗"],
  ["有无麸质面包吗？", "有，每周二和周五现烤，可以给您留。", "过敏能吃的面包"],
  ["蔬菜是哪里来的？", "来自三十公里内的三家农场，标签上有名字。", "菜是谁种的"],
  ["可以提前预订吗？", "可以，前一天晚上前打电话或在这里预订，第二天九点后来取。", "能帮我留一份吗", "自提"],
  ["有礼品篮吗？", "有，二十五元起，请提前两天告诉我们。", "能包装礼物吗"],
  ["可以停车吗？", "店后面有两个车位，免费半小时。", "哪里能停车"],
  ["轮椅能进店吗？", "可以，侧门有坡道，店里没有台阶。", "婴儿车能进吗"],
  ["可以带狗吗？", "请让狗在门外阴凉处等，那里有水。", "能带宠物吗"],
  ["回收空瓶吗？", "回收，入口旁边有机器，押金瓶都可以退。", "瓶子押金怎么退"],
  ["你们招人吗？", "周六需要帮手，请写信到 jobs@example.com。", "有工作吗", "招聘"],
  ["你们怎么使用我的信息？", "姓名和地址只用于送货，您要求时我们就删除。", "隐私", "能删除我的资料吗"],
];

function chunksOf(pairs: readonly SeedPair[]): QaChunk[] {
  return pairs.map(([question, answer, ...keywords]) => ({ question, answer, keywords }));
}

export const SEED_PAIRS = { en: chunksOf(ENGLISH), "zh-CN": chunksOf(CHINESE) } as const;
