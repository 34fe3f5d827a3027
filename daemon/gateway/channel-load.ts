/** What channels are serving on this node: `least_busy` routing reads it. Each node counts for itself. */
export class ChannelLoad {
  readonly #running = new Map<number, number>();

  enter(channelId: number): void {
    this.#running.set(channelId, this.running(channelId) + 1);
  }

  leave(channelId: number): void {
    const left = this.running(channelId) - 1;
    if (left > 0) this.#running.set(channelId, left);
    else this.#running.delete(channelId);
  }

  running(channelId: number): number {
    return this.#running.get(channelId) ?? 0;
  }
}
