/**
 * Words we no longer use, each with the one that stands for the thing now. Names come as a whole word; a sentence is found
 * anywhere. A word that is renamed is added here, so that it does not come back.
 */
export const OLD_WORDS: Readonly<Record<string, string>> = {
  // names in code
  admitOtherOrigins: "enableCors",
  contendForLeadership: "joinLeaderElection",
  endOrphans: "closeAbandonedHandoffs",
  KeptHandoff: "StoredHandoff",
  openScene: "lockConversation",
  heard_seq: "acknowledged_seq",
  told_seq: "forwarded_seq",
  tellUser: "notifyUser",
  declareSickness: "openBreaker",
  declareLife: "closeBreaker",
  DestinationGate: "ConcurrencyLimit",
  RoomWaker: "CapacityWaker",
  BacklogPace: "BacklogRateLimit",
  parkForRoom: "parkForCapacity",
  no_room: "no_capacity",
  provesLife: "isAlive",
  topUpAwake: "wakeMoreLanes",
  passOver: "skipMessages",
  remakeVectors: "reembedPairs",
  thenRecheck: "retryWaitingDeliveries",
  "leadership.ts": "leader-election.ts",
  "other-origins.ts": "cors.ts",
  // sentences that people read
  "The environment does not fit": "Invalid configuration",
  "did not end in time": "Shutdown timed out",
  "this talk will end": "this chat will close",
  "No person is free": "Everyone on our team is busy",
  "Nobody is there at this hour": "Our team is offline right now",
  "Please try to ask in other words": "Could you rephrase it",
  "waits for a stranger": "Tenants are isolated from each other",
  "go on helping you myself": "I'll keep helping you in the meantime",
  "A person was asked": "Connecting you…",
  "Nothing listens at": "nothing is listening at",
  "Signalbox will not run": "Signalbox cannot start",
  "Hold a receiver": "Test a webhook receiver",
  "Bring files of questions": "Import and export questions and answers",
  "forgotten work": "stalled work",
};
