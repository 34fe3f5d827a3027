/**
 * What a MySQL server said, byte for byte: recorded between a client and a real server, and said again where there is
 * none. Source of the framing: https://mariadb.com/kb/en/0-packet/, read 2026-11.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Conversation {
  /** What the server says to whoever connects, in base64 as all of it. */
  greeting: string;
  /** What it says to whoever signs in. */
  welcome: string;
  /** What it answers, by statement. */
  readonly answers: Record<string, string>;
}

export interface ConversationServer {
  readonly port: number;
  /** Statements so far. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const quit = 1;
const query = 3;

/** A server that says it all again, to any name and password. A statement that was not recorded is an error. */
export async function replayMysql(conversation: Conversation): Promise<ConversationServer> {
  const asked: string[] = [];
  return listening(asked, (client) => {
    const say = (text: string) => client.write(Buffer.from(text, 'base64'));
    say(conversation.greeting);
    onPackets(client, (packet, number) => {
      if (number === 0) return say(conversation.welcome);
      if (packet[0] === quit) return client.end();
      const statement = packet.toString('utf8', 1);
      asked.push(statement);
      const answer = conversation.answers[statement];
      return answer === undefined ? client.write(refusal(`not recorded: ${statement}`)) : say(answer);
    });
  });
}

/** A server that asks the one at this port, and the conversation as it grows. */
export async function recordMysql(port: number): Promise<ConversationServer & { readonly conversation: Conversation }> {
  const asked: string[] = [];
  const conversation: Conversation = { greeting: '', welcome: '', answers: {} };
  const server = await listening(asked, (client) => {
    const upstream = connect(port, '127.0.0.1');
    let chunks: Buffer[] = [];
    let keep = (text: string): void => void (conversation.greeting = text);
    upstream.on('data', (chunk) => {
      chunks.push(chunk);
      keep(Buffer.concat(chunks).toString('base64'));
      client.write(chunk);
    });
    onPackets(client, (packet, number, whole) => {
      chunks = [];
      const statement = packet.toString('utf8', 1);
      if (number === 0) keep = (text) => void (conversation.welcome = text);
      else if (packet[0] === query) keep = (text) => void (conversation.answers[statement] = text);
      upstream.write(whole);
    });
    client.on('close', () => upstream.destroy());
  });
  return { ...server, conversation };
}

async function listening(asked: readonly string[], serve: (client: Socket) => void): Promise<ConversationServer> {
  const clients = new Set<Socket>();
  const server: Server = createServer((client) => {
    clients.add(client);
    client.on('error', () => client.destroy());
    serve(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    port: address.port,
    asked,
    close: () => {
      for (const client of clients) client.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Tells of each packet of a client: three bytes of length, one of sequence, then what it says. */
function onPackets(client: Socket, told: (packet: Buffer, number: number, whole: Buffer) => unknown): void {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  client.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUIntLE(0, 3)) {
      const end = 4 + rest.readUIntLE(0, 3);
      const whole = rest.subarray(0, end);
      rest = rest.subarray(end);
      told(whole.subarray(4), number, whole);
      number += 1;
    }
  });
}

/** An error packet of the first answer: 1105 is a failure without a number of its own. */
function refusal(message: string): Buffer {
  const said = Buffer.concat([Buffer.from([0xff, 1105 & 0xff, 1105 >> 8]), Buffer.from(`#HY000${message}`)]);
  const head = Buffer.alloc(4);
  head.writeUIntLE(said.length, 0, 3);
  head.writeUInt8(1, 3);
  return Buffer.concat([head, said]);
}
