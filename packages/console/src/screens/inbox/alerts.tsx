import type { Talk } from "@signalbox/contract";
import { useNavigate } from "@tanstack/react-router";
import { Bell, BellOff } from "lucide-react";
import { useEffect, useRef } from "react";
import { IconButton, showToast } from "../../design/index.ts";
import { setPreferences, usePreferences } from "../../preferences/index.ts";
import { useCall, usePollMs } from "../../service/index.ts";
import { userNameOf } from "./talks.ts";
import { useInboxWords } from "./words.ts";

const LIMIT = 50;

/** Off until somebody turns it on here: that is the consent, and the browser asks for its own. */
export function AlertsToggle({ agentId }: { agentId: string }) {
  const text = useInboxWords();
  const { alerts } = usePreferences();
  const turn = async () => {
    if (alerts) {
      setPreferences({ alerts: false });
      return;
    }
    setPreferences({ alerts: true });
    chime();
    const permission = await askOnce();
    showToast(
      permission === "granted"
        ? { title: text.alertsOn }
        : { title: text.alertsBlocked, description: text.alertsBlockedLead },
    );
  };
  return (
    <>
      <IconButton
        size="sm"
        aria-pressed={alerts}
        label={alerts ? text.turnAlertsOff : text.turnAlertsOn}
        onClick={() => void turn()}
      >
        {alerts ? <Bell className="size-4" aria-hidden /> : <BellOff className="size-4" aria-hidden />}
      </IconButton>
      {alerts && <Alerts agentId={agentId} />}
    </>
  );
}

/** The browser asks once; its answer stands. */
async function askOnce(): Promise<NotificationPermission> {
  if (!("Notification" in window)) return "denied";
  return Notification.permission === "default" ? Notification.requestPermission() : Notification.permission;
}

/** Alerts people to users who begin to wait, and to new messages in their own talks. */
function Alerts({ agentId }: { agentId: string }) {
  const text = useInboxWords();
  const navigate = useNavigate();
  const refetchMs = usePollMs();
  const input = { agent_id: agentId, limit: LIMIT };
  const waiting = useCall("searchTalks", { ...input, view: "waiting" }, { refetchMs });
  const mine = useCall("searchTalks", { ...input, view: "mine" }, { refetchMs });
  const known = useRef<Map<string, number>>(undefined);
  useEffect(() => {
    if (waiting.data === undefined || mine.data === undefined) return;
    const talks = [...waiting.data.list, ...mine.data.list];
    const before = known.current;
    known.current = new Map([
      ...(before ?? []),
      ...talks.map((talk) => [talk.talk_id, talk.unread_count] as const),
    ]);
    // Talks that waited before the alerts were turned on are no news.
    if (before === undefined) return;
    const isNew = (talk: Talk) => !before.has(talk.talk_id);
    const news = talks.filter(
      (talk) => isNew(talk) || (talk.is_mine && talk.unread_count > (before.get(talk.talk_id) ?? 0)),
    );
    if (news.length === 0) return;
    chime();
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    for (const talk of news) {
      const name = userNameOf(talk, text.anonymous);
      // None of the user's words: anybody who passes by may read a notification.
      const told = new Notification(talk.is_mine ? text.alertTitle(name) : text.alertWaiting(name), {
        tag: talk.talk_id,
      });
      told.addEventListener("click", () => {
        window.focus();
        void navigate({ to: "/inbox", search: (search) => ({ ...search, talk: talk.talk_id }) });
      });
    }
  }, [waiting.data, mine.data, text, navigate]);
  return null;
}

const NOTES_HZ = [659, 880];
const NOTE_SECONDS = 0.14;

/** Two soft notes, made here: no file is fetched. */
function chime(): void {
  const audio = new AudioContext();
  NOTES_HZ.forEach((frequency, index) => {
    const start = audio.currentTime + index * NOTE_SECONDS;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.08, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + NOTE_SECONDS * 2);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + NOTE_SECONDS * 2);
  });
  setTimeout(() => void audio.close(), 1_000);
}
