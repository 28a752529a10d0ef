/**
 * Tests hurry the reconciler and log everything; what is measured runs as it is shipped. Hurried, it takes a message that
 * waits for its turn under full load for a forgotten one and calls it again, which is more load.
 */
export const AS_SHIPPED = {
  LOG_LEVEL: "info",
  RECONCILE_INTERVAL_SECONDS: "5",
  RECONCILE_GRACE_SECONDS: "20",
};
