import { clock, make, setText } from "/desk/page/elements.js";
import { ask } from "./asking.js";
import { table } from "./table.js";

/** One delivery with its body and every attempt. */
export function showDelivery(section, { delivery, curl, webhook }, words, language, { causes, agents }) {
  const told = make("p", { role: "status" });
  const button = (name, isFirst, onclick) =>
    make("button", { type: "button", className: isFirst ? "first" : "", textContent: words[name], onclick });
  const replay = button("replay", true, async () => {
    const { problem } = await ask(`deliveries/${delivery.delivery_id}/replay`, {}).catch(() => ({
      problem: words.lost,
    }));
    setText(told, problem === undefined ? words.replayed : `${words.failed}: ${problem}`);
  });
  const copy = button("curl", false, async () => {
    await navigator.clipboard.writeText(curl);
    setText(told, words.copied);
  });
  const edit = button("edit", false, () => {
    location.hash = `test/${delivery.delivery_id}`;
  });
  section.replaceChildren(
    make("a", { href: "#", className: "back", textContent: words.back }),
    make(
      "h2",
      { tabIndex: -1 },
      `${words.events[delivery.event]} · `,
      make("span", {
        className: "state",
        "data-state": delivery.state,
        textContent: words.states[delivery.state],
      }),
    ),
    make("div", { className: "actions" }, replay, ...(curl === null ? [] : [copy]), edit),
    told,
    make("dl", {}, ...factsOf(delivery, webhook, agents[delivery.agent_id], words, language, causes)),
    make("h3", { textContent: words.attemptsHeading }),
    delivery.attempts.length === 0
      ? make("p", { className: "muted", textContent: words.noAttempt })
      : attemptsOf(delivery.attempts, words, language, causes),
    make("h3", { textContent: words.body }),
    make("pre", {
      textContent: pretty(delivery.body),
      tabIndex: 0,
      role: "region",
      "aria-label": words.body,
    }),
  );
}

function factsOf(delivery, webhook, agentName, words, language, causes) {
  const { cause, cause_page, finish_time } = delivery;
  const facts = {
    cause: cause === null ? null : `${cause}: ${causes[cause]} (${cause_page})`,
    agent: agentName ?? delivery.agent_id,
    webhook:
      webhook === null
        ? delivery.webhook_id
        : `${webhook.name ?? words.kinds[webhook.kind] ?? webhook.kind} · ${webhook.url}`,
    accepted: clock(language, delivery.create_time),
    finished: finish_time === null ? null : clock(language, finish_time),
    conversation_id: delivery.conversation_id,
    sequence: String(delivery.sequence),
    delivery_id: delivery.delivery_id,
    replay_of: delivery.replay_of,
  };
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .flatMap(([name, value]) => [
      make("dt", { textContent: words.fields[name] }),
      make("dd", { textContent: value }),
    ]);
}

function attemptsOf(attempts, words, language, causes) {
  const headings = [words.number, words.at, words.answer, words.took, words.fields.cause, words.received];
  const rows = attempts.toReversed().map((attempt) => {
    const {
      number,
      start_time,
      http_status,
      duration_ms,
      cause,
      request_headers,
      response_body,
      acknowledged,
    } = attempt;
    const body = response_body ?? (acknowledged === true ? words.plainAcknowledgement : "");
    const headers = Object.entries(request_headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const sent = make(
      "details",
      {},
      make("summary", { textContent: words.sentHeaders }),
      make("pre", { textContent: [attempt.url, ...headers].join("\n") }),
    );
    return [
      String(number),
      clock(language, start_time),
      http_status === null ? words.noAnswer : `HTTP ${http_status}`,
      `${duration_ms} ms`,
      cause === null ? "" : `${cause}: ${causes[cause]}`,
      make("div", {}, make("code", { textContent: body }), ...(request_headers === null ? [] : [sent])),
    ];
  });
  return table(words.attemptsHeading, headings, rows);
}

/** As people read it; what is no JSON is shown as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
