// First: what comes later overrules it.
import './theme/styles.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startTranslation } from './i18n/index.ts';
import { watchHistory } from './session/held-history.ts';

watchHistory();
const place = document.getElementById('root');
if (place) void startTranslation().then(() => createRoot(place).render(<App />));
