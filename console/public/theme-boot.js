// Sets colours and language before the first paint; kept outside the bundle because that loads later (console.md 3).
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const root = document.documentElement;
  const wished = read('theme-mode');
  const isDark = wished === 'dark' || (wished !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
  const language = read('i18nextLng') || navigator.language || '';
  root.lang = language.startsWith('en') ? 'en' : 'zh';
})();
