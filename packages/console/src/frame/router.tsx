import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { buttonClass, EmptyState, Page, Problem, SkeletonLines } from "../design/index.ts";
import { readConversationSearch } from "../screens/conversations/search.ts";
import { readDeliverySearch } from "../screens/deliveries/search.ts";
import { readInboxSearch } from "../screens/inbox/search.ts";
import { readKnowledgeSearch } from "../screens/knowledge/search.ts";
import { readNumbersSearch } from "../screens/numbers/search.ts";
import { IDENTIFIER } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { Shell } from "./shell.tsx";

/** What every screen has in its address. */
export interface CommonSearch {
  agent?: string | undefined;
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <Problem error={error} onRetry={reset} />,
  // A value that is not understood is overwritten: otherwise the router hands on the address as it stands.
  validateSearch: ({ agent }: Record<string, unknown>): CommonSearch => ({
    agent: typeof agent === "string" && IDENTIFIER.test(agent) ? agent : undefined,
  }),
  search: { middlewares: [retainSearchParams(["agent"])] },
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("../screens/start/start.tsx"), "Start"),
});
const deliveries = createRoute({
  getParentRoute: () => root,
  path: "/deliveries",
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import("../screens/deliveries/deliveries.tsx"), "Deliveries"),
});
const delivery = createRoute({
  getParentRoute: () => root,
  path: "/deliveries/$deliveryId",
  component: lazyRouteComponent(() => import("../screens/deliveries/delivery.tsx"), "DeliveryScreen"),
});
const newReplay = createRoute({
  getParentRoute: () => root,
  path: "/replays/new",
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import("../screens/deliveries/new-replay.tsx"), "NewReplay"),
});
const replay = createRoute({
  getParentRoute: () => root,
  path: "/replays/$replayId",
  component: lazyRouteComponent(() => import("../screens/deliveries/replay.tsx"), "ReplayScreen"),
});
const conversations = createRoute({
  getParentRoute: () => root,
  path: "/conversations",
  validateSearch: readConversationSearch,
  component: lazyRouteComponent(() => import("../screens/conversations/conversations.tsx"), "Conversations"),
});
const conversation = createRoute({
  getParentRoute: () => root,
  path: "/conversations/$agentId/$conversationId",
  component: lazyRouteComponent(
    () => import("../screens/conversations/conversation.tsx"),
    "ConversationScreen",
  ),
});
const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import("../screens/inbox/inbox.tsx"), "Inbox"),
});
const knowledge = createRoute({
  getParentRoute: () => root,
  path: "/knowledge",
  validateSearch: readKnowledgeSearch,
  component: lazyRouteComponent(() => import("../screens/knowledge/knowledge.tsx"), "Knowledge"),
});
const unanswered = createRoute({
  getParentRoute: () => root,
  path: "/unanswered",
  component: lazyRouteComponent(() => import("../screens/knowledge/unanswered.tsx"), "Unanswered"),
});
const saved = createRoute({
  getParentRoute: () => root,
  path: "/saved-questions",
  component: lazyRouteComponent(
    () => import("../screens/knowledge/saved/saved-questions.tsx"),
    "SavedQuestions",
  ),
});
const endpoints = createRoute({
  getParentRoute: () => root,
  path: "/endpoints",
  component: lazyRouteComponent(() => import("../screens/endpoints/endpoints.tsx"), "Endpoints"),
});
const check = createRoute({
  getParentRoute: () => root,
  path: "/check",
  component: lazyRouteComponent(() => import("../screens/endpoints/check.tsx"), "Check"),
});
const agent = createRoute({
  getParentRoute: () => root,
  path: "/agent",
  component: lazyRouteComponent(() => import("../screens/agent/agent.tsx"), "AgentScreen"),
});
const keys = createRoute({
  getParentRoute: () => root,
  path: "/keys",
  component: lazyRouteComponent(() => import("../screens/agent/keys.tsx"), "Keys"),
});
const members = createRoute({
  getParentRoute: () => root,
  path: "/members",
  component: lazyRouteComponent(() => import("../screens/members/members.tsx"), "Members"),
});
const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("../screens/members/account.tsx"), "YourAccount"),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  component: lazyRouteComponent(() => import("../screens/agent/audit.tsx"), "Audit"),
});
const numbers = createRoute({
  getParentRoute: () => root,
  path: "/numbers",
  validateSearch: readNumbersSearch,
  component: lazyRouteComponent(() => import("../screens/numbers/numbers.tsx"), "NumbersScreen"),
});
const health = createRoute({
  getParentRoute: () => root,
  path: "/health",
  component: lazyRouteComponent(() => import("../screens/health/health.tsx"), "Health"),
});
const design = createRoute({
  getParentRoute: () => root,
  path: "/design",
  component: lazyRouteComponent(() => import("../screens/design/gallery.tsx"), "Gallery"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    deliveries,
    delivery,
    newReplay,
    replay,
    conversations,
    conversation,
    inbox,
    knowledge,
    unanswered,
    saved,
    endpoints,
    check,
    agent,
    keys,
    members,
    account,
    audit,
    numbers,
    health,
    design,
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingComponent: () => <SkeletonLines className="p-6" lines={8} />,
  defaultErrorComponent: ({ error, reset }) => <Problem error={error} onRetry={reset} />,
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  const { problems } = useWords();
  return (
    <Page title={problems.pageMissing}>
      <EmptyState
        icon={Compass}
        title={problems.pageMissing}
        actions={
          <a className={buttonClass({ tone: "primary" })} href="/console/">
            {problems.goToStart}
          </a>
        }
      >
        {problems.pageMissingDetail}
      </EmptyState>
    </Page>
  );
}
