/** Requests that each channel is serving on this node; what `least_busy` routing reads. */
export class ChannelLoad {
  readonly #running = new Map<number, number>();

  enter(channelId: number): void {
    this.#running.set(channelId, this.running(channelId) + 1);
  }

  leave(channelId: number): void {
    const running = this.running(channelId);
    if (running <= 1) this.#running.delete(channelId);
    else this.#running.set(channelId, running - 1);
  }

  running(channelId: number): number {
    return this.#running.get(channelId) ?? 0;
  }
}
