import type { TalkDetail } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import { CopyableId, Facts, Time } from "../../design/index.ts";
import { useAccess } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import type { ReactNode } from "react";
import { personName } from "./talks.ts";
import { useInboxWords } from "./words.ts";

/** The known facts about the user. */
export function SidePanel({ talk }: { talk: TalkDetail }) {
  const words = useScreenWords();
  const text = useInboxWords();
  const { may, accountId } = useAccess();
  const { user, agent_id } = talk;
  return (
    <div className="flex flex-col gap-6 p-4">
      <Part title={text.details}>
        <Facts
          facts={[
            user.user_id !== null && {
              label: text.user,
              value: <CopyableId id={user.user_id} label={text.user} />,
            },
            user.anonymous_id !== null && {
              label: text.anonymousId,
              value: <CopyableId short id={user.anonymous_id} label={text.anonymousId} />,
            },
            user.email !== null && {
              label: text.email,
              value: <CopyableId id={user.email} label={text.email} />,
            },
            user.phone !== null && {
              label: text.phone,
              value: <CopyableId id={user.phone} label={text.phone} />,
            },
            { label: text.channel, value: words.conversations.channels[talk.channel] },
            { label: text.state, value: text.states[talk.state] },
            {
              label: text.holder,
              value: <span className="truncate">{personName(talk.holder, accountId, text)}</span>,
            },
            { label: text.requested, value: <Time at={talk.request_time} as="short" /> },
            { label: text.trigger, value: words.conversations.triggers[talk.trigger] },
          ]}
        />
        {may("getConversation", agent_id) && (
          <Link
            to="/conversations/$agentId/$conversationId"
            params={{ agentId: agent_id, conversationId: talk.conversation_id }}
            className="mt-3 inline-block text-sm font-medium text-accent hover:underline"
          >
            {text.openConversation}
          </Link>
        )}
      </Part>
      <Part title={text.notes}>
        {talk.notes.length === 0 ? (
          <p className="text-sm text-ink-soft">{text.notesNone}</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {talk.notes.map((note) => (
              <li key={note.note_id} className="rounded-md bg-warn-soft px-3 py-2">
                <p className="flex items-center gap-2 text-xs text-warn">
                  <span className="truncate font-medium">{personName(note.author, accountId, text)}</span>
                  <Time at={note.time} className="ml-auto" />
                </p>
                <p className="text-sm wrap-anywhere whitespace-pre-wrap text-ink">{note.text}</p>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={text.earlier}>
        {talk.earlier_talks.length === 0 ? (
          <p className="text-sm text-ink-soft">{text.earlierNone}</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {talk.earlier_talks.map((earlier) => (
              <li key={earlier.talk_id}>
                <Link
                  to="/inbox"
                  search={(before) => ({ ...before, talk: earlier.talk_id })}
                  className="-mx-2 flex flex-col rounded-md px-2 py-1.5 hover:bg-hover"
                >
                  <span className="flex items-center gap-2 text-xs text-ink-faint">
                    {text.states[earlier.state]}
                    <Time at={earlier.request_time} className="pointer-events-none ml-auto" />
                  </span>
                  <span className="truncate text-sm text-ink">
                    {earlier.last_user_message?.text ?? text.noMessages}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 text-xs font-medium text-ink-faint">{title}</h3>
      {children}
    </section>
  );
}
