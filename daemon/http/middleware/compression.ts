/**
 * Large answers of the API leave compressed where the client takes that: the hourly figures of a month, or the health of
 * thousands of channels, are a megabyte of text that is nearly all alike.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type Koa from 'koa';

const compress = promisify(gzip);
/** Characters. Answers that hand out a single secret are smaller: their length must not depend on what they say. */
const least = 16_384;

export async function compression(ctx: Koa.Context, next: Koa.Next): Promise<void> {
  await next();
  const { body } = ctx;
  if (typeof body !== 'string' || body.length < least) return;
  ctx.vary('Accept-Encoding');
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return;
  // Off the event loop; a higher level takes twice the time for a tenth less.
  ctx.body = await compress(body, { level: 4 });
  ctx.set('Content-Encoding', 'gzip');
}
