/** The form of a payment on a page of this machine, so that a browser can post it where it belongs. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

export interface PaymentForm {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A page that was opened. */
export interface PaymentPage {
  readonly address: string;
  /** Resolves when a browser has fetched it or nobody did in time. */
  readonly fetched: Promise<'fetched' | 'timeout'>;
  close(): void;
}

/** Serves the form once, under an address that nobody can guess. */
export async function servePaymentPage(form: PaymentForm, waitMs: number): Promise<PaymentPage> {
  const path = `/${randomBytes(16).toString('hex')}`;
  const page = htmlOf(form);
  let finish: (outcome: 'fetched' | 'timeout') => void = () => undefined;
  const fetched = new Promise<'fetched' | 'timeout'>((resolve) => {
    finish = resolve;
  });
  const server = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
    response.end(page, () => finish('fetched'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const timer = setTimeout(() => finish('timeout'), waitMs);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    address: `http://127.0.0.1:${port}${path}`,
    fetched,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}

function htmlOf({ url, fields }: PaymentForm): string {
  const inputs = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>tollgate</title>
<form method="post" action="${escapeHtml(url)}">${inputs}<button>OK</button></form>
<script>document.forms[0].submit()</script>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
