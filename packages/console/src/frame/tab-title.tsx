import { useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useShownScreenTitle } from "../design/index.ts";
import { useAccess, useCall, usePollMs } from "../service/index.ts";
import { useWords } from "../words/index.ts";

/** Names the browser's tab: how many users wait for the agent that is chosen, and the screen. */
export function TabTitle() {
  const { product } = useWords().frame;
  const { agent: agentId } = useSearch({ from: "__root__" });
  const maySee = useAccess().may("searchTalks", agentId);
  const waiting = useCall(
    "searchTalks",
    { agent_id: agentId ?? "", view: "waiting", limit: 1 },
    { enabled: agentId !== undefined && maySee, refetchMs: usePollMs() },
  );
  const count = waiting.data?.counts.waiting ?? 0;
  const screen = useShownScreenTitle();
  useEffect(() => {
    const name = screen === undefined ? product : `${screen} · ${product}`;
    document.title = count > 0 ? `(${count}) ${name}` : name;
    return () => {
      document.title = product;
    };
  }, [product, screen, count]);
  return null;
}
