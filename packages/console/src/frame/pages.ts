import type { RouteName } from "@signalbox/contract";
import { useSearch } from "@tanstack/react-router";
import {
  Activity,
  BookmarkCheck,
  BookOpen,
  Bot,
  Cable,
  ChartColumn,
  CircleHelp,
  Inbox,
  type LucideIcon,
  KeyRound,
  MessagesSquare,
  Rocket,
  ScrollText,
  Send,
  Stethoscope,
  Users,
} from "lucide-react";
import { useAccess } from "../service/index.ts";
import type { Words } from "../words/index.ts";

export type PageId =
  | "start"
  | "inbox"
  | "deliveries"
  | "conversations"
  | "knowledge"
  | "unanswered"
  | "saved"
  | "endpoints"
  | "check"
  | "agent"
  | "keys"
  | "members"
  | "audit"
  | "numbers"
  | "health";

export interface PageEntry {
  id: PageId;
  to:
    | "/"
    | "/inbox"
    | "/deliveries"
    | "/conversations"
    | "/knowledge"
    | "/unanswered"
    | "/saved-questions"
    | "/endpoints"
    | "/check"
    | "/agent"
    | "/keys"
    | "/members"
    | "/audit"
    | "/numbers"
    | "/health";
  icon: LucideIcon;
  /** The route behind the page: without the right to call it, the navigation does not show the page. */
  needs: RouteName;
  /** After g. */
  key: string;
}

export interface PageGroup {
  label: (words: Words) => string | undefined;
  pages: readonly PageEntry[];
}

/** The navigation, the command palette and the shortcuts: one list. */
const PAGE_GROUPS: readonly PageGroup[] = [
  { label: () => undefined, pages: [{ id: "start", to: "/", icon: Rocket, needs: "listApiKeys", key: "s" }] },
  {
    label: (words) => words.frame.monitor,
    pages: [
      { id: "inbox", to: "/inbox", icon: Inbox, needs: "searchTalks", key: "i" },
      { id: "deliveries", to: "/deliveries", icon: Send, needs: "listDeliveries", key: "d" },
      {
        id: "conversations",
        to: "/conversations",
        icon: MessagesSquare,
        needs: "searchConversations",
        key: "c",
      },
      {
        id: "unanswered",
        to: "/unanswered",
        icon: CircleHelp,
        needs: "listQuestionGroups",
        key: "q",
      },
      { id: "numbers", to: "/numbers", icon: ChartColumn, needs: "getNumbers", key: "f" },
      { id: "health", to: "/health", icon: Activity, needs: "listDestinations", key: "h" },
    ],
  },
  {
    label: (words) => words.frame.configure,
    pages: [
      { id: "knowledge", to: "/knowledge", icon: BookOpen, needs: "listPairs", key: "n" },
      { id: "saved", to: "/saved-questions", icon: BookmarkCheck, needs: "listSavedQuestions", key: "v" },
      { id: "endpoints", to: "/endpoints", icon: Cable, needs: "getMessageWebhook", key: "e" },
      { id: "check", to: "/check", icon: Stethoscope, needs: "diagnoseWebhooks", key: "x" },
      { id: "agent", to: "/agent", icon: Bot, needs: "updateAgent", key: "a" },
      { id: "keys", to: "/keys", icon: KeyRound, needs: "listApiKeys", key: "k" },
      { id: "members", to: "/members", icon: Users, needs: "listAccounts", key: "m" },
      { id: "audit", to: "/audit", icon: ScrollText, needs: "listAudit", key: "u" },
    ],
  },
];

/** The pages that the signed-in person may open, for the agent in the address. */
export function usePageGroups(): readonly PageGroup[] {
  const { may } = useAccess();
  const { agent } = useSearch({ from: "__root__" });
  return PAGE_GROUPS.map((group) => ({
    ...group,
    pages: group.pages.filter(({ needs }) => may(needs, agent)),
  })).filter(({ pages }) => pages.length > 0);
}

export function usePageEntries(): readonly PageEntry[] {
  return usePageGroups().flatMap(({ pages }) => pages);
}
