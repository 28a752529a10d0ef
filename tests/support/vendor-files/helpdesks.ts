import { table, type VendorFile } from "./table.ts";

const HTML = "<p>For <strong>refunds</strong>, write to us within 30 days.</p>";

export const HELPDESKS: readonly VendorFile[] = [
  table(
    "Zendesk Guide articles",
    [
      "Article ID|Locale|Category|Section|Title|Body (HTML)|Labels|Updated at",
      `360001|en-us|Billing|Refunds|How do I get a refund?|${HTML}|refund,money|2026-01-04T10:00:00Z`,
      "360002|en-us|Billing|Invoices|Where is my invoice?|<p>Under <em>Account</em>.</p>||2026-02-04T10:00:00Z",
      "360003|en-us|Orders|Delivery|Track an order|<ul><li>Open the app</li></ul>|order|2026-03-04T10:00:00Z",
    ],
    { columns: [5, 6] },
  ),
  table(
    "Zendesk articles of the API",
    [
      "id,url,html_url,author_id,draft,promoted,position,vote_sum,section_id,created_at,updated_at,name,title,locale,body".replaceAll(
        ",",
        "|",
      ),
      `36001|https://x.zendesk.com/api/v2/1.json|https://x.zendesk.com/hc/1|9001|false|false|0|3|501|2026-01-04T10:00:00Z|2026-01-05T10:00:00Z|Get a refund|Get a refund|en-us|${HTML}`,
      "36002|https://x.zendesk.com/api/v2/2.json|https://x.zendesk.com/hc/2|9001|false|false|1|0|501|2026-01-04T10:00:00Z|2026-01-05T10:00:00Z|Find an invoice|Find an invoice|en-us|<p>Open Account.</p>",
      "36003|https://x.zendesk.com/api/v2/3.json|https://x.zendesk.com/hc/3|9002|false|true|2|1|502|2026-01-04T10:00:00Z|2026-01-05T10:00:00Z|Track an order|Track an order|en-us|<p>Open the app.</p>",
    ],
    { columns: [13, 15] },
  ),
  table(
    "Zendesk macros",
    [
      "Title|Description|Active|Comment|Position",
      "Refund::Approve|Approves refunds|true|Your refund is on its way.|1",
      "Refund::Deny|Denies refunds|true|We cannot refund this order.|2",
      "Greeting|Greets|true|Thanks for writing to us.|3",
    ],
    { asks: true },
  ),
  table(
    "Zendesk dynamic content",
    [
      "Title|Default language|Default text|English text|Variant status",
      "greeting|German|Hallo und willkommen|Hello and welcome|Current",
      "closing|German|Auf Wiedersehen bis bald|Goodbye and see you|Current",
      "hours|German|Wir sind ab neun da|We are here from nine|Current",
    ],
    { asks: true },
  ),
  table(
    "Zendesk tickets",
    [
      "Id|Requester|Subject|Status|Priority|First response time|Assignee|Created at",
      "1|Ada|Cannot log in|solved|high|12|Bo|2026-01-04 10:00",
      "2|Cy|Refund please|open|low|44|Bo|2026-01-05 10:00",
      "3|Di|Wrong size|solved|low|20|Eve|2026-01-06 10:00",
    ],
    { asks: true },
  ),
  table(
    "Intercom articles",
    [
      "id|title|description|body|author_id|state|parent_id|url|created_at|updated_at|default_locale",
      `7001|Getting a refund|How refunds work|${HTML}|55|published|12|https://help.example.com/7001|1767520000|1767530000|en`,
      "7002|Your first invoice|What an invoice holds|<p>Open Billing.</p>|55|published|12|https://help.example.com/7002|1767520000|1767530000|en",
      "7003|Deliveries|All about parcels|<p>Two days.</p>|56|draft|13|https://help.example.com/7003|1767520000|1767530000|en",
    ],
    { columns: [2, 4] },
  ),
  table(
    "Intercom macros",
    [
      "Name|Body|Visible to",
      "Refund ok|Your refund is on its way to you.|Everyone",
      "Refund no|We cannot refund this order.|Everyone",
      "Hello|Thanks for writing to us today.|Everyone",
    ],
    { asks: true },
  ),
  table(
    "Intercom snippets of Fin",
    [
      "Title|Content|Language",
      "Refunds|We refund within 30 days.|en",
      "Invoices|You find them under Account.|en",
    ],
    { columns: [1, 2] },
  ),
  table(
    "Freshdesk solution articles",
    [
      "Article ID|Article Title|Category Name|Folder Name|Status|Article Content|Author|Last Updated|Views|Helpful|Not helpful",
      `43000|Refunds|Billing|Money|Published|${HTML}|Ada|2026-01-04|120|9|1`,
      "43001|Invoices|Billing|Money|Published|<p>Open Account.</p>|Ada|2026-01-05|90|4|0",
      "43002|Parcels|Orders|Post|Draft|<p>Two days.</p>|Bo|2026-01-06|7|0|0",
    ],
    { columns: [2, 6] },
  ),
  table(
    "Freshdesk canned responses",
    [
      "Title|Content|Folder|Visibility",
      "Refund ok|Your refund is on its way.|General|All",
      "Refund no|We cannot refund this.|General|All",
    ],
    { columns: [1, 2] },
  ),
  table(
    "Freshdesk tickets",
    [
      "Ticket ID|Subject|Description|Status|Type|Agent|Created time|Resolution status",
      "9|Login fails|I cannot log in, can you help?|Closed|Question|Ada|2026-01-04 10:00|Within SLA",
      "10|Refund|Can I have my money back?|Closed|Problem|Ada|2026-01-05 10:00|Within SLA",
      "11|Size|My shoes are too small. What now?|Open|Question|Bo|2026-01-06 10:00|SLA violated",
    ],
    { asks: true },
  ),
  table(
    "Help Scout docs",
    [
      "number|collection|category|name|slug|status|text|createdAt",
      `1|Docs|Billing|How to get a refund|how-to-get-a-refund|published|${HTML}|2026-01-04T10:00:00Z`,
      "2|Docs|Billing|Where invoices are|where-invoices-are|published|<p>Open Account.</p>|2026-01-04T10:00:00Z",
      "3|Docs|Orders|When parcels come|when-parcels-come|published|<p>Two days.</p>|2026-01-04T10:00:00Z",
    ],
    { asks: true },
  ),
  table(
    "Help Scout saved replies",
    [
      "Name|Reply",
      "Refund ok|Your refund is on its way.",
      "Refund no|We cannot refund this.",
      "Hello there|Thanks for writing.",
    ],
    { columns: [1, 2] },
  ),
  table(
    "HubSpot knowledge base",
    [
      "URL|Title|Category|Subcategory|Article Body|Language|Status",
      `https://help.example.com/refund|Refunds|Billing|Money|${HTML}|en|PUBLISHED`,
      "https://help.example.com/invoice|Invoices|Billing|Money|<p>Open Account.</p>|en|PUBLISHED",
      "https://help.example.com/parcel|Parcels|Orders|Post|<p>Two days.</p>|en|DRAFT",
    ],
    { columns: [2, 5] },
  ),
  table(
    "HubSpot article export",
    [
      "Article title|Article subtitle|Article body|Article URL|Total views|Last published date|Author",
      `Get a refund|How refunds work|${HTML}|https://help.example.com/r|120|2026-01-04|Ada Long`,
      "Find an invoice|Where they are|<p>Open Account.</p>|https://help.example.com/i|90|2026-01-05|Ada Long",
      "Track a parcel|Where it is|<p>Two days.</p>|https://help.example.com/p|7|2026-01-06|Bo Short",
    ],
    { columns: [1, 3] },
  ),
  table(
    "Chatwoot articles",
    [
      "id|title|description|content|category|locale|status|views|author",
      "1|Refunds|How refunds work|We refund within 30 days.|Billing|en|published|12|Ada",
      "2|Invoices|Where they are|Open **Account**.|Billing|en|published|9|Ada",
      "3|Parcels|When they come|They need two days.|Orders|en|draft|1|Bo",
    ],
    { columns: [2, 4] },
  ),
  table(
    "Chatwoot canned responses",
    [
      "short_code|content",
      "refund_ok|Your refund is on its way.",
      "refund_no|We cannot refund this order.",
      "hello_all|Thanks for writing to us.",
    ],
    { asks: true },
  ),
];
