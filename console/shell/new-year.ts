/** Confetti over the whole page for three seconds, and a wish. */
import i18next from 'i18next';
import { toast } from '../components/toast.ts';

const shownMs = 3000;
const colors = ['#1a62d6', '#3ca050', '#cca54b', '#f8554d', '#a075fa', '#3c9aa9'];

interface Piece {
  x: number;
  y: number;
  readonly speedX: number;
  readonly speedY: number;
  readonly color: string;
  readonly size: number;
  readonly spin: number;
}

function pieceOf(index: number, width: number): Piece {
  return {
    x: Math.random() * width,
    y: -20 - Math.random() * 200,
    speedX: (Math.random() - 0.5) * 120,
    speedY: 200 + Math.random() * 260,
    color: colors[index % colors.length] ?? '#1a62d6',
    size: 5 + Math.random() * 6,
    spin: Math.random() * 8,
  };
}

function rain(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D): void {
  const pieces = Array.from({ length: 140 }, (_, index) => pieceOf(index, canvas.width));
  const begin = performance.now();
  let last = begin;
  const draw = (now: number) => {
    const seconds = (now - last) / 1000;
    last = now;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (const piece of pieces) {
      piece.x += piece.speedX * seconds;
      piece.y += piece.speedY * seconds;
      context.save();
      context.translate(piece.x, piece.y);
      context.rotate(((now - begin) / 1000) * piece.spin);
      context.fillStyle = piece.color;
      context.fillRect(-piece.size / 2, -piece.size / 4, piece.size, piece.size / 2);
      context.restore();
    }
    if (now - begin < shownMs) requestAnimationFrame(draw);
    else canvas.remove();
  };
  requestAnimationFrame(draw);
}

/** None falls for those who asked for less motion. */
export function celebrate(): void {
  toast.success(i18next.t('frame.newYear'));
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const canvas = document.createElement('canvas');
  canvas.width = window.innerWidth;
  canvas.height = window.innerHeight;
  canvas.setAttribute('aria-hidden', 'true');
  Object.assign(canvas.style, { position: 'fixed', inset: '0', zIndex: '500', pointerEvents: 'none' });
  const context = canvas.getContext('2d');
  if (!context) return;
  document.body.append(canvas);
  rain(canvas, context);
}
