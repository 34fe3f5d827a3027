/**
 * A pooler of the kind that PgBouncer is in transaction mode, as far as a session can tell: every transaction of a
 * connection may run on another connection to the server, and what was prepared on the one is unknown to the other.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TransactionPooler {
  /** Of the same database, through the pooler. */
  readonly url: string;
  /** How often the server has refused something. */
  readonly refusals: number;
  stop(): Promise<void>;
}

/** Starts one before a server that asks for no password. */
export async function startTransactionPooler(serverUrl: string): Promise<TransactionPooler> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => sockets.add(socket.on('error', () => socket.destroy()));
  let refusals = 0;
  const server = createServer((client) => {
    keep(client);
    const open = () => {
      const onward = connect(Number(target.port), target.hostname);
      keep(onward);
      return onward;
    };
    poolFor(client, {
      open,
      refused: () => {
        refusals += 1;
      },
    });
  });
  const url = new URL(serverUrl);
  url.port = String(await listening(server));
  return {
    url: url.href,
    get refusals() {
      return refusals;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** Two connections to the server for one client: the next transaction is always the other one's. */
function poolFor(client: Socket, { open, refused }: { open: () => Socket; refused: () => void }): void {
  const [first, second] = [open(), open()];
  const ready = new Set<Socket>();
  /** What the first server says to whoever comes; told when both are ready. */
  const greeting: Buffer[] = [];
  let current = first;
  for (const server of [first, second]) {
    const frames = new Frames();
    server.on('data', (chunk) => {
      const read = frames.read(chunk);
      if (read.some(({ type }) => type === 'E')) refused();
      // `Z` says that a batch is done; `I` that no transaction is open.
      const isDone = read.some(({ type, body }) => type === 'Z' && body[0] === 0x49);
      if (ready.size === 2) {
        client.write(chunk);
        if (isDone) current = server === first ? second : first;
        return;
      }
      if (server === first) greeting.push(chunk);
      if (isDone) ready.add(server);
      if (ready.size === 2) client.write(Buffer.concat(greeting));
    });
    server.on('close', () => client.destroy());
  }
  client.on('data', (chunk) => {
    // Both servers are told who comes.
    for (const server of ready.size === 2 ? [current] : [first, second]) server.write(chunk);
  });
  client.on('close', () => {
    first.destroy();
    second.destroy();
  });
}

interface Frame {
  readonly type: string;
  readonly body: Buffer;
}

/** Messages of the server: a letter, the length with its own four bytes, the rest. */
class Frames {
  #rest: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): Frame[] {
    let rest = Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      frames.push({ type: String.fromCharCode(rest[0] ?? 0), body: rest.subarray(5, end) });
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    return frames;
  }
}
