/** A reply that brings headers of its own; what is in the body is the contract's alone. */
export class HeadedReply {
  readonly body: object;
  readonly headers: Record<string, string | string[]>;

  constructor(body: object, headers: Record<string, string | string[]>) {
    this.body = body;
    this.headers = headers;
  }
}
