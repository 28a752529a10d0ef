import type { Agent } from "@signalbox/contract";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Inbox as InboxIcon, MessageSquareText, Settings, Users } from "lucide-react";
import { type Ref, useRef, useState } from "react";
import {
  Button,
  classNames,
  Drawer,
  EmptyState,
  IconButton,
  Page,
  Problem,
  showProblem,
  showToast,
  useScreenKeys,
} from "../../design/index.ts";
import { useAccess, useAction, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { OneAgent } from "../one-agent.tsx";
import { AlertsToggle } from "./alerts.tsx";
import { CannedDialog } from "./canned-dialog.tsx";
import { PresenceMenu } from "./presence.tsx";
import { Queue, QueueSkeleton } from "./queue.tsx";
import type { InboxSearch } from "./search.ts";
import { SettingsDialog } from "./settings-dialog.tsx";
import { SidePanel } from "./side-panel.tsx";
import { type TalkHandle, TalkPane } from "./talk.tsx";
import { TeamFilter } from "./team-filter.tsx";
import { TeamsDialog } from "./teams-dialog.tsx";
import { useTalk, useTalks } from "./talks.ts";
import { useIsWide } from "./use-is-wide.ts";
import { type TalkActions, useTalkActions } from "./use-talk-actions.ts";
import { useInboxWords } from "./words.ts";

/** The desk in the console: who waits, what they say, and what to answer. */
export function Inbox() {
  return (
    <OneAgent layout="full" title={useInboxWords().title}>
      {(agent) => <InboxOf agent={agent} />}
    </OneAgent>
  );
}

function InboxOf({ agent: { agent_id: agentId, name } }: { agent: Agent }) {
  const text = useInboxWords();
  const inbox = useCall("getInbox", { agent_id: agentId });
  const isOn = inbox.data?.is_enabled === true;
  const { may } = useAccess();
  const mayAnswer = may("takeTalk", agentId);
  const maySet = may("setInbox", agentId);
  const { settings: asksSettings } = useSearch({ from: "/inbox" });
  const navigate = useNavigate({ from: "/inbox" });
  const showSettings = (settings: true | undefined) =>
    void navigate({ search: (before) => ({ ...before, settings }) });
  const [layer, setLayer] = useState<"canned" | "teams">();
  return (
    <Page
      layout="full"
      title={text.title}
      beside={<span className="text-sm text-ink-faint max-sm:hidden">{name}</span>}
      actions={
        isOn &&
        mayAnswer && (
          <>
            <IconButton size="sm" label={text.teamsManage} onClick={() => setLayer("teams")}>
              <Users className="size-4" aria-hidden />
            </IconButton>
            <IconButton size="sm" label={text.cannedManage} onClick={() => setLayer("canned")}>
              <MessageSquareText className="size-4" aria-hidden />
            </IconButton>
            {maySet && (
              <IconButton size="sm" label={text.settings.title} onClick={() => showSettings(true)}>
                <Settings className="size-4" aria-hidden />
              </IconButton>
            )}
            <AlertsToggle agentId={agentId} />
            <PresenceMenu agentId={agentId} />
          </>
        )
      }
    >
      {inbox.isError ? (
        <Problem error={inbox.error} onRetry={() => void inbox.refetch()} />
      ) : inbox.isPending ? (
        <div className="flex min-h-0 flex-1 border-t border-line">
          <div className="w-full border-line bg-panel md:w-80 md:border-r">
            <QueueSkeleton />
          </div>
        </div>
      ) : (
        // Earlier messages stay readable while it is off.
        <Desk agentId={agentId} isOn={isOn} />
      )}
      {asksSettings && maySet && inbox.data !== undefined && (
        <SettingsDialog agentId={agentId} inbox={inbox.data} onClose={() => showSettings(undefined)} />
      )}
      {layer === "canned" && <CannedDialog agentId={agentId} onClose={() => setLayer(undefined)} />}
      {layer === "teams" && <TeamsDialog agentId={agentId} onClose={() => setLayer(undefined)} />}
    </Page>
  );
}

function Desk({ agentId, isOn }: { agentId: string; isOn: boolean }) {
  const text = useInboxWords();
  const navigate = useNavigate({ from: "/inbox" });
  const { view = "waiting", talk: talkId, text: wanted, team } = useSearch({ from: "/inbox" });
  const list = useTalks(agentId, {
    view,
    text: view === "closed" ? wanted : undefined,
    team: view === "team" ? team : undefined,
    enabled: true,
  });
  const change = (changed: InboxSearch) => void navigate({ search: (before) => ({ ...before, ...changed }) });
  const actions = useTalkActions(agentId);
  const pane = useRef<TalkHandle>(null);
  const isWide = useIsWide();
  const [showsPanel, setShowsPanel] = useState<boolean>();
  const hasPanel = showsPanel ?? isWide;

  const step = (by: 1 | -1) => {
    const at = list.entries.findIndex(({ talk_id }) => talk_id === talkId);
    const next = at === -1 ? list.entries[0] : list.entries[at + by];
    if (next !== undefined) change({ talk: next.talk_id });
  };
  const take = async () => {
    const id = talkId ?? (view === "waiting" ? list.entries[0]?.talk_id : undefined);
    if (id === undefined || !actions.mayAnswer) return;
    if ((await actions.take(id)) !== undefined) change({ view: "mine", talk: id });
  };
  useScreenKeys({
    title: text.title,
    keys: [
      { key: "j", label: text.shortcuts.next, run: () => step(1) },
      { key: "k", label: text.shortcuts.previous, run: () => step(-1) },
      { key: "t", label: text.shortcuts.take, run: () => void take() },
      { key: "r", label: text.shortcuts.reply, run: () => pane.current?.reply() },
      { key: "n", label: text.shortcuts.note, run: () => pane.current?.note() },
      { key: "a", label: text.shortcuts.transfer, run: () => pane.current?.transfer() },
      { key: "e", label: text.shortcuts.close, run: () => pane.current?.close() },
      { key: "i", label: text.shortcuts.panel, run: () => setShowsPanel(!hasPanel) },
    ],
  });

  if (!isOn && list.isSuccess && list.entries.length === 0 && view === "waiting" && talkId === undefined)
    return <SwitchedOff agentId={agentId} />;
  return (
    <div className="flex min-h-0 flex-1 border-t border-line">
      <div
        className={classNames(
          "min-h-0 w-full shrink-0 flex-col border-line bg-panel md:flex md:w-80 md:border-r",
          talkId === undefined ? "flex" : "hidden",
        )}
      >
        <Queue
          list={list}
          view={view}
          text={wanted}
          filter={
            view === "team" && (
              <TeamFilter agentId={agentId} team={team} onTeam={(id) => change({ team: id })} />
            )
          }
          talkId={talkId}
          onText={(words) => change({ text: words })}
          onView={(next) => change({ view: next })}
        />
        <Waiters count={list.counts?.waiting} />
      </div>
      <div
        className={classNames(
          "min-h-0 min-w-0 flex-1 flex-col bg-page md:flex",
          talkId === undefined ? "hidden" : "flex",
        )}
      >
        {talkId === undefined ? (
          <EmptyState icon={InboxIcon} title={text.choose}>
            {text.chooseLead}
          </EmptyState>
        ) : (
          <OpenTalk
            agentId={agentId}
            talkId={talkId}
            actions={actions}
            pane={pane}
            onTake={() => void take()}
            isWide={isWide}
            hasPanel={hasPanel}
            onPanel={setShowsPanel}
          />
        )}
      </div>
    </div>
  );
}

interface OpenTalkProps {
  pane: Ref<TalkHandle>;
  actions: TalkActions;
  onTake: () => void;
  agentId: string;
  talkId: string;
  isWide: boolean;
  hasPanel: boolean;
  onPanel: (shows: boolean) => void;
}

/** The talk, with the user's details beside it or, in a narrow window, over it. */
function OpenTalk({ pane, agentId, talkId, actions, onTake, isWide, hasPanel, onPanel }: OpenTalkProps) {
  const text = useInboxWords();
  const query = useTalk(agentId, talkId);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <TalkPane
          key={talkId}
          ref={pane}
          query={query}
          actions={actions}
          onTake={onTake}
          onPanel={() => onPanel(!hasPanel)}
        />
      </div>
      {query.talk !== undefined && hasPanel && isWide && (
        <aside
          aria-label={text.panel}
          className="w-72 shrink-0 overflow-y-auto border-l border-line bg-panel"
        >
          <SidePanel talk={query.talk} />
        </aside>
      )}
      {query.talk !== undefined && !isWide && (
        <Drawer open={hasPanel} onOpenChange={onPanel} title={text.panel} width="narrow">
          <SidePanel talk={query.talk} />
        </Drawer>
      )}
    </div>
  );
}

/** Read out when somebody more waits. */
function Waiters({ count }: { count: number | undefined }) {
  const text = useInboxWords();
  const [shown, setShown] = useState(count);
  const [isMore, setIsMore] = useState(false);
  if (count !== shown) {
    setShown(count);
    setIsMore(shown !== undefined && count !== undefined && count > shown);
  }
  return (
    <div role="status" aria-label={text.queueNews} className="sr-only">
      {isMore && count !== undefined ? text.waitingNow(count) : ""}
    </div>
  );
}

function SwitchedOff({ agentId }: { agentId: string }) {
  const words = useWords();
  const text = useInboxWords();
  const maySwitch = useAccess().may("setInbox", agentId);
  const turnOn = useAction("setInbox", { changes: ["getInbox", "listHumanServices"] });
  return (
    <EmptyState
      icon={InboxIcon}
      title={text.off}
      actions={
        maySwitch ? (
          <Button
            tone="primary"
            busy={turnOn.isPending}
            onClick={() =>
              turnOn.mutate(
                { agent_id: agentId },
                {
                  onSuccess: () => showToast({ title: text.turnedOn }),
                  onError: (error) => showProblem(error, words),
                },
              )
            }
          >
            {text.turnOn}
          </Button>
        ) : undefined
      }
    >
      {maySwitch ? text.offLead : text.offAskLead}
    </EmptyState>
  );
}
