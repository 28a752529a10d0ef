import { inTransaction, type Broadcast, type Database } from "../platform/index.ts";
import { announceTalk } from "./announce-talk.ts";
import { offerTalks, type OfferParts } from "./offer-talks.ts";

interface OfferAgainParts extends OfferParts {
  db: Database;
  broadcast: Pick<Broadcast, "tell">;
}

/** After a change of who is there, or of what waits; gives how many chats changed. */
export async function offerAgain(parts: OfferAgainParts, agentId: string): Promise<number> {
  const offered = await inTransaction(parts.db, (db) => offerTalks(db, parts, agentId));
  for (const talkId of offered) announceTalk(parts, { agentId, talkId });
  return offered.length;
}
