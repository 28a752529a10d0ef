import { make, setText } from "/desk/page/elements.js";
import { ask } from "./asking.js";
import { pretty } from "./delivery.js";
import { table } from "./table.js";

const EVENTS = ["message", "handoff_requested", "user_message", "handoff_closed"];

function headOf(words, heading, about) {
  return [
    make("a", { href: "#", className: "back", textContent: words.back }),
    make("h2", { tabIndex: -1, textContent: heading }),
    make("p", { className: "muted", textContent: about }),
  ];
}

/** Section 4.3 as a table: whether the service reaches each webhook. */
export function showCheck(section, words) {
  const told = make("p", { role: "status" });
  const results = make("div");
  const again = make("button", { type: "button", className: "first", textContent: words.checkAgain });
  const run = async () => {
    setText(told, words.checking);
    const { results: found, problem } = await ask("check", {}).catch(() => ({ problem: words.lost }));
    setText(told, found === undefined ? `${words.failed}: ${problem}` : "");
    if (found === undefined) return;
    const headings = ["", words.agent, words.webhook, words.answer, words.took, words.address];
    const rows = found.map(
      ({ reachable, agent_name, type, component_name, http_status, latency_ms, webhook_url }) => [
        make("span", {
          className: "state",
          "data-state": reachable ? "delivered" : "dead",
          textContent: reachable ? `✔ ${words.reachable}` : `✖ ${words.unreachable}`,
        }),
        agent_name,
        component_name ?? words.kinds[type],
        http_status ? `HTTP ${http_status}` : words.noAnswer,
        `${latency_ms} ms`,
        webhook_url,
      ],
    );
    headings[0] = words.state;
    results.replaceChildren(table(words.checkHeading, headings, rows));
  };
  again.addEventListener("click", () => void run());
  section.replaceChildren(...headOf(words, words.checkHeading, words.checkAbout), results, told, again);
  void run();
}

/** A body to change and send; `from` is a delivery whose body it begins with. */
export async function showTest(section, from, words) {
  const event = make(
    "select",
    {},
    ...EVENTS.map((name) => make("option", { value: name, textContent: words.events[name] })),
  );
  const target = make("input", { type: "url", required: true });
  const body = make("textarea", { className: "code", spellcheck: false, rows: 16 });
  const told = make("p", { role: "status" });
  const answer = make("pre", { hidden: true });
  const button = make("button", { className: "first", textContent: words.send });
  const labelled = (text, field) => make("label", {}, make("span", { textContent: text }), field);
  const form = make(
    "form",
    { className: "form" },
    labelled(words.event, event),
    labelled(words.target, target),
    labelled(words.body, body),
    button,
    told,
    answer,
  );

  const fill = async () => {
    const sample = await ask(`sample?event=${event.value}`);
    target.value = sample.url;
    body.value = sample.body;
  };
  if (from === undefined) await fill();
  else {
    const { delivery, webhook } = await ask(`deliveries/${from}`);
    event.value = delivery.event;
    target.value = webhook?.url ?? "";
    body.value = pretty(delivery.body);
  }
  event.addEventListener("change", () => void fill());
  form.addEventListener("submit", async (submitted) => {
    submitted.preventDefault();
    setText(told, words.sending);
    const given = { url: target.value, event: event.value, body: body.value };
    const result = await ask("test", given).catch(() => ({ problem: "lost" }));
    answer.hidden = result.problem !== undefined || result.status === 0;
    if (result.problem !== undefined) setText(told, words.problems[result.problem] ?? words.lost);
    else if (result.status === 0) setText(told, words.notAnswered[result.body]);
    else {
      setText(told, words.answered(result.status, result.duration_ms));
      setText(answer, result.body);
    }
  });
  section.replaceChildren(...headOf(words, words.testHeading, words.testAbout), form);
}
