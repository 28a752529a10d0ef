import { table, type VendorFile } from "./table.ts";

export const BOTS: readonly VendorFile[] = [
  table(
    "Dify annotations",
    ["question|answer", "When do you open?|At nine.", "Where are you?|In Market Street."],
    { columns: [1, 2] },
  ),
  table(
    "Dify annotation export",
    [
      "Question|Answer|Created At|Hits",
      "When do you open?|At nine.|2026-01-04 10:00|4",
      "Where are you?|In Market Street.|2026-01-05 10:00|12",
    ],
    { columns: [1, 2] },
  ),
  table("Dify segments of pairs", ["问题|答案", "几点开门？|九点。", "在哪里？|市场街。"], {
    columns: [1, 2],
  }),
  table(
    "FastGPT",
    ["q|a|indexes", "When do you open?|At nine.|opening hours", "Where are you?|In Market Street.|address"],
    { columns: [1, 2] },
  ),
  table(
    "FastGPT with several indexes",
    [
      "index|q|a|index",
      "hours|When do you open?|At nine.|opening",
      "place|Where are you?|In Market Street.|address",
    ],
    { columns: [2, 3] },
  ),
  table("FastGPT old template", ["问题|答案|索引", "几点开门？|九点。|营业时间", "在哪里？|市场街。|地址"], {
    columns: [1, 2],
  }),
  table(
    "RAGFlow",
    ["When do you open?|At nine.", "Where are you?|In Market Street.", "Who are you?|A shop, since 1990."],
    { columns: [1, 2], header: 0, delimiter: "\t", as: "ragflow.csv" },
  ),
  table("RAGFlow workbook", ["几点开门？|九点。", "在哪里？|市场街。", "多少钱？|十元。"], {
    columns: [1, 2],
    header: 0,
    as: "ragflow.xlsx",
  }),
  table(
    "MaxKB",
    [
      "分段标题（选填）|分段内容（必填，问题答案，最长不超过4096个字符）|问题（选填，单元格内一行一个）",
      "营业时间|我们每天九点开门。|几点开门？\\n什么时候营业？",
      "地址|我们在市场街一号。|在哪里？",
      "退款|三十天内可以退款。|怎么退款？",
    ],
    { columns: [3, 2] },
  ),
  table(
    "Dialogflow ES",
    ["When do you open?|At nine.", "Where are you?|In Market Street.", "Who are you?|A shop."],
    { columns: [1, 2], header: 0 },
  ),
  table(
    "Dialogflow statements",
    ["Opening hours|We open at nine.", "Address|We are in Market Street.", "Refunds|Within 30 days."],
    { columns: [1, 2], header: 0 },
  ),
  table(
    "Vertex AI FAQ",
    [
      "question|answer|title|url",
      "When do you open?|At nine.|Hours|https://example.com/h",
      "Where are you?|In Market Street.|Place|https://example.com/p",
    ],
    { columns: [1, 2] },
  ),
  table(
    "Dialogflow CX training phrases",
    [
      "Display name|Language|Phrase|Part ID",
      "hours.open|en|when do you open|1",
      "hours.open|en|opening times|1",
      "place.where|en|where are you|1",
    ],
    { asks: true },
  ),
  table(
    "Botpress QnA",
    [
      "question|question2|answer|answer2|category|redirectFlow",
      "When do you open?|Opening hours?|At nine.||global|",
      "Where are you?|Your address?|In Market Street.||global|",
    ],
    { columns: [1, 3] },
  ),
  table(
    "Botpress table",
    [
      "ID|Question|Answer|Created At|Updated At",
      "1|When do you open?|At nine.|2026-01-04|2026-01-04",
      "2|Where are you?|In Market Street.|2026-01-04|2026-01-04",
    ],
    { columns: [2, 3] },
  ),
  table(
    "Rasa training data",
    [
      "intent|example|response",
      "faq/hours|when do you open|We open at nine.",
      "faq/hours|opening times please|We open at nine.",
      "faq/place|where are you|In Market Street.",
    ],
    { columns: [2, 3] },
  ),
  table(
    "Rasa text and intent",
    ["text|intent", "when do you open|hours", "opening times please|hours", "where are you|place"],
    { asks: true },
  ),
  table(
    "Microsoft QnA Maker",
    [
      "Question|Answer|Source|Metadata|SuggestedQuestions|IsContextOnly|Prompts|QnaId",
      "When do you open?|At **nine**.|faq.docx|topic:hours|[]|False|[]|1",
      "Opening hours?|At **nine**.|faq.docx|topic:hours|[]|False|[]|1",
      "Where are you?|In Market Street.|Editorial||[]|False|[]|2",
    ],
    { columns: [1, 2], delimiter: "\t" },
  ),
  table(
    "Microsoft chit-chat",
    [
      "Question|Answer|Source|Metadata",
      "Hi|Hello.|chitchat.tsv|editorial:chitchat",
      "Hello|Hello.|chitchat.tsv|editorial:chitchat",
      "Who are you?|A bot.|chitchat.tsv|editorial:chitchat",
    ],
    { columns: [1, 2], delimiter: "\t" },
  ),
  table(
    "GPTBots",
    [
      "Question|Answer|Keywords",
      "When do you open?|At nine.|hours",
      "Where are you?|In Market Street.|place",
    ],
    { columns: [1, 2] },
  ),
  table("GPTBots in Chinese", ["序号|问题|答案", "1|几点开门？|九点。", "2|在哪里？|市场街。"], {
    columns: [2, 3],
  }),
  table(
    "Chinese helpdesk template",
    [
      "知识分类|标准问法|相似问法|答案类型|答案内容|生效时间",
      "营业|几点开门|什么时候营业|文字|我们每天九点开门。|2026-01-04",
      "营业|在哪里|地址|文字|我们在市场街一号。|2026-01-04",
      "退款|怎么退款|退货|文字|三十天内可以退款。|2026-01-04",
    ],
    { columns: [2, 5] },
  ),
  table(
    "Chinese knowledge template",
    [
      "分类|知识标题|知识内容",
      "营业|营业时间|我们每天九点开门。",
      "营业|地址|我们在市场街一号。",
      "退款|退款|三十天内可以退款。",
    ],
    { columns: [2, 3] },
  ),
];
