import { table, type VendorFile } from "./table.ts";

/** Where a reader that guesses goes wrong. */
export const TRAPS: readonly VendorFile[] = [
  table(
    "a title and an answer",
    [
      "id|title|answer",
      "1|Opening hours|At nine.",
      "2|Address|In Market Street.",
      "3|Refunds|Within 30 days.",
    ],
    { columns: [2, 3] },
  ),
  table(
    "a number, a question and a content",
    ["No.|Question|Content", "1|Where are you?|Here.", "2|When do you open?|At nine."],
    { columns: [2, 3] },
  ),
  table(
    "a third column that is nearly empty",
    [
      "Support handbook||",
      "Updated in November||",
      "Customer asks|We say|Also asked",
      ...Array.from({ length: 30 }, (_, at) => {
        const part = `part ${at + 1} of the machine`;
        return `What does ${part} cost?|It costs ${at + 2} euros a piece.|${at === 9 ? "Got wheels for my stuff?" : ""}`;
      }),
    ],
    { columns: [1, 2], header: 3 },
  ),
  table(
    "pandas with its index",
    ["|question|answer", "0|When do you open?|At nine.", "1|Where are you?|In Market Street."],
    { columns: [2, 3] },
  ),
  table(
    "an answer before its question",
    ["Answer|Question", "At nine.|When do you open?", "In Market Street.|Where are you?"],
    { columns: [2, 1] },
  ),
  table(
    "two languages side by side",
    [
      "Question (EN)|Answer (EN)|Question (DE)|Answer (DE)",
      "When do you open?|At nine.|Wann öffnen Sie?|Um neun.",
      "Where are you?|Here.|Wo sind Sie?|Hier.",
    ],
    { asks: true },
  ),
  table(
    "a short and a full answer",
    [
      "Question|Short answer|Full answer",
      "When do you open?|At nine.|We open at nine every day.",
      "Where are you?|Here.|We are in Market Street.",
    ],
    { asks: true },
  ),
  table(
    "a quiz",
    [
      "Question|Option A|Option B|Correct answer",
      "How many?|One|Two|B",
      "How far?|Near|Far|A",
      "How old?|New|Old|B",
    ],
    { asks: true },
  ),
  table(
    "categories and questions without names",
    ["billing|How do I pay?", "billing|Where is my invoice?", "orders|Where is my parcel?"],
    { asks: true, header: 0 },
  ),
  table(
    "answers before questions without names",
    ["At nine.|When do you open?", "Here.|Where are you?", "Ten.|How much is it?"],
    { asks: true, header: 0 },
  ),
  table(
    "numbers and pairs without names",
    [
      "1|When do you open?|We open at nine every day.",
      "2|Where are you?|We are in Market Street.",
      "3|Who are you?|We are a small shop.",
    ],
    { columns: [2, 3], header: 0 },
  ),
  table(
    "a glossary",
    [
      "Term|Definition",
      "SLA|An agreement about the level of a service.",
      "KPI|A figure that shows how well things go.",
      "API|A way for programs to talk.",
    ],
    { asks: true },
  ),
  table(
    "questions without answers",
    [
      "Question|Category|Asked on",
      "When do you open?|hours|2026-01-04",
      "Where are you?|place|2026-01-05",
      "Who are you?|about|2026-01-05",
    ],
    { asks: true },
  ),
  table(
    "a chat log",
    [
      "timestamp|speaker|message",
      "2026-01-04 10:00|user|when do you open",
      "2026-01-04 10:01|bot|At nine.",
      "2026-01-04 10:02|user|thanks",
    ],
    { asks: true },
  ),
  table(
    "a survey",
    [
      "Respondent|Question|Score|Comment",
      "1|How was it?|5|Great service",
      "2|How was it?|2|Too slow for me",
      "3|How was it?|4|Nice people",
    ],
    { asks: true },
  ),
  table(
    "ids of questions and answers",
    [
      "Question ID|Answer ID|Question Text|Answer Text",
      "1|11|When do you open?|At nine.",
      "2|12|Where are you?|In Market Street.",
    ],
    { columns: [3, 4] },
  ),
  table(
    "a forum",
    [
      "Question Title|Question Body|Answer Body|Votes",
      "Opening|When do you open on Sundays?|At ten.|4",
      "Place|Where exactly are you?|In Market Street.|2",
    ],
    { asks: true },
  ),
  table(
    "a product list",
    [
      "SKU|Name|Price|Description",
      "A-100|Shoe|19.90|A shoe for every day.",
      "A-101|Boot|49.90|A boot for the winter.",
      "A-102|Sock|4.90|A sock to keep warm.",
    ],
    { asks: true },
  ),
  table(
    "instructions for a model",
    ["instruction|input|output", "When do you open?||At nine.", "Where are you?||In Market Street."],
    { columns: [1, 3] },
  ),
  table(
    "a prompt and a completion",
    ["prompt|completion", "When do you open?|At nine.", "Where are you?|In Market Street."],
    { columns: [1, 2] },
  ),
];
