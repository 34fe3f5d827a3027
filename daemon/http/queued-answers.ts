/** Answers that wait for another on their connection (RFC 9112 9.3.2). */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Tells them that their client has left. Node tells only the answer under way: for the others the work would go on to its
 * end, and where it waits for the client to read, without one.
 */
export function tellQueuedAnswers(server: Server): void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    if (response.socket !== null) return;
    const queue = queues.get(socket) ?? new Set();
    if (!queues.has(socket)) {
      queues.set(socket, queue);
      socket.once('close', () => closeAll(queue));
    }
    queue.add(response);
    response.once('close', () => queue.delete(response));
  });
}

function closeAll(queue: ReadonlySet<ServerResponse>): void {
  for (const response of queue) {
    if (response.socket !== null) continue;
    response.destroy();
    response.emit('close');
  }
}
