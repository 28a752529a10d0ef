export { agentsPastGraceSweep } from "./erase-agents.ts";
export { eraseUser, type EraseUserParts } from "./erase-user.ts";
export { erasureObject, erasureSweep } from "./erasure-object.ts";
export { agentOfErasure, getErasure, listErasures } from "./erasures.ts";
export { exportUser } from "./export-user.ts";
export { getRetention, setRetention } from "./retention.ts";
export { orphanedLanesSweep, retentionObject, retentionSweep } from "./retention-object.ts";
