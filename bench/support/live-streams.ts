import { connect, type Socket } from "node:net";

/** Many browsers that follow a conversation each, as cheaply as sockets allow. */
export interface LiveStreams extends AsyncDisposable {
  /** How many have been told that history is over. */
  ready(): number;
  /** When the message with this client_id was told, on the clock of `performance.now()`. */
  toldAt: Map<string, number>;
  add(conversationId: string): void;
}

const CLIENT_ID = /"client_id":"([^"]+)"/g;
const COME_BACK_MS = 500;
const READY = "event: ready\n";

export function openLiveStreams(baseUrl: string, chatToken: string): LiveStreams {
  const { hostname, port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  let isClosed = false;
  const toldAt = new Map<string, number>();
  let ready = 0;
  return {
    ready: () => ready,
    toldAt,
    add(conversationId) {
      const socket = connect({ host: hostname, port: Number(port) });
      sockets.add(socket);
      let isReady = false;
      socket.setEncoding("latin1");
      socket.on("error", () => undefined);
      socket.on("data", (piece: string) => {
        // A node that everybody comes to at once refuses some, and they come back.
        if (piece.startsWith("HTTP/1.1 503")) socket.destroy();
        if (piece.includes(READY)) {
          isReady = true;
          ready += 1;
        }
        for (const [, id = ""] of piece.matchAll(CLIENT_ID)) toldAt.set(id, performance.now());
      });
      socket.on("close", () => {
        sockets.delete(socket);
        if (isReady) ready -= 1;
        if (!isClosed) setTimeout(() => this.add(conversationId), COME_BACK_MS);
      });
      socket.write(
        `GET /chat/v1/conversations/${conversationId}/events HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${chatToken}\r\n\r\n`,
      );
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
