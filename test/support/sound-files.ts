/** Small sound files of every kind whose length can be read, made from their descriptions. */

const le32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const be32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const text = (value: string) => Buffer.from(value, 'latin1');

/** 8 kHz, 16 bit, mono. `claimed`: the size that the header states. */
export function wav(seconds: number, claimed?: number): Buffer {
  const samples = Buffer.alloc(seconds * 16_000);
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(8000, 4);
  format.writeUInt32LE(16_000, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const list = Buffer.concat([text('LIST'), le32(3), text('abc'), Buffer.alloc(1)]);
  const size = claimed ?? samples.length;
  return Buffer.concat([
    text('RIFF'),
    le32(0),
    text('WAVEfmt '),
    le32(16),
    format,
    list,
    text('data'),
    le32(size),
    samples,
  ]);
}

export function flac(seconds: number): Buffer {
  const info = Buffer.alloc(34);
  const samples = seconds * 44_100;
  info.writeUIntBE((44_100 << 4) | 2, 10, 3);
  info.writeUInt8(0xf0, 13);
  info.writeUInt32BE(samples, 14);
  return Buffer.concat([text('fLaC'), Buffer.from([0x80, 0, 0, 34]), info, Buffer.alloc(1000)]);
}

/** `flags`: 2 for the page that a stream begins with. */
function oggPage(granule: bigint, packet: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS', 0, 'latin1');
  head.writeUInt8(flags, 5);
  head.writeBigInt64LE(granule, 6);
  const segments = Buffer.from([...Array(Math.floor(packet.length / 255)).fill(255), packet.length % 255]);
  head.writeUInt8(segments.length, 26);
  return Buffer.concat([head, segments, packet]);
}

/** Opus in Ogg, with 312 samples that are not played. */
export function opus(seconds: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0, 'latin1');
  head.writeUInt16LE(312, 10);
  const end = BigInt(seconds * 48_000 + 312);
  return Buffer.concat([
    oggPage(0n, head, 2),
    oggPage(0n, text('OpusTags')),
    oggPage(end / 2n, Buffer.alloc(700)),
    oggPage(end, Buffer.alloc(90)),
  ]);
}

const box = (name: string, ...content: Buffer[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([be32(body.length + 8), text(name), body]);
};

/** M4A with the movie's header behind the media, as phones write it. */
export function m4a(seconds: number): Buffer {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1000, 12);
  header.writeUInt32BE(seconds * 1000, 16);
  return Buffer.concat([
    box('ftyp', text('M4A \0\0\0\0isom')),
    box('mdat', Buffer.alloc(5000)),
    box('moov', box('mvhd', header)),
  ]);
}

const element = (id: string, content: Buffer) => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length | 0x1000_0000);
  return Buffer.concat([Buffer.from(id, 'hex'), size, content]);
};

/** WebM; `live`: without a duration, as a browser records it. */
export function webm(seconds: number, kind: 'whole' | 'live'): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(seconds * 1000);
  const scale = Buffer.from([0x0f, 0x42, 0x40]);
  const info = element(
    '1549a966',
    Buffer.concat([element('2ad7b1', scale), ...(kind === 'whole' ? [element('4489', duration)] : [])]),
  );
  const cluster = element(
    '1f43b675',
    Buffer.concat([
      element('e7', Buffer.from([((seconds - 1) * 1000) >> 8, ((seconds - 1) * 1000) & 255])),
      element('a3', Buffer.concat([Buffer.from([0x81, 1000 >> 8, 1000 & 255, 0]), Buffer.alloc(300)])),
    ]),
  );
  const ebml = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.from([0x9f]), Buffer.alloc(31)]);
  const unknownSize = Buffer.from('18538067' + '01ffffffffffffff', 'hex');
  return Buffer.concat([ebml, unknownSize, info, cluster]);
}

export function aiff(seconds: number): Buffer {
  const common = Buffer.alloc(18);
  common.writeUInt16BE(1, 0);
  common.writeUInt32BE(seconds * 8000, 2);
  // 8000 = 2 ** 12 * 1.953125
  common.writeUInt16BE(16_383 + 12, 8);
  common.writeUInt32BE(0xfa000000, 10);
  return Buffer.concat([text('FORM'), be32(0), text('AIFFCOMM'), be32(18), common, text('SSND'), be32(0)]);
}

/** Frames of 20 ms. */
export function amr(seconds: number): Buffer {
  const frame = Buffer.concat([Buffer.from([7 << 3]), Buffer.alloc(31)]);
  return Buffer.concat([text('#!AMR\n'), ...Array(seconds * 50).fill(frame)]);
}

/** MP3 of 24 kHz in frames of 24 ms, behind a tag. */
export function mp3(frames: number): Buffer {
  const frame = Buffer.alloc(192);
  frame.writeUInt32BE(0xfff384c4);
  const tag = Buffer.concat([text('ID3'), Buffer.from([4, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128)]);
  return Buffer.concat([tag, ...Array(frames).fill(frame)]);
}

/** AAC of 16 kHz in frames of 64 ms. */
export function adts(frames: number): Buffer {
  const size = 200;
  const frame = Buffer.alloc(size);
  frame.writeUInt16BE(0xfff1);
  frame.writeUInt8(0x60, 2);
  frame.writeUInt8(0x40 | (size >> 11), 3);
  frame.writeUInt8((size >> 3) & 255, 4);
  frame.writeUInt8((size & 7) << 5, 5);
  return Buffer.concat(Array(frames).fill(frame));
}
