/** Whether the user left by choice: the sign-in page is then a plain one, which leads nowhere back. */
import { userStore } from './session.ts';
import { Store } from './store.ts';

export const hasLeft = new Store(false);

userStore.watch(() => {
  if (userStore.get() !== undefined) hasLeft.set(false);
});
