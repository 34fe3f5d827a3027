/** Sends the browser to a payment page with the fields it wants. */
export function postForm(address: string, fields: Readonly<Record<string, string>>, isNewTab: boolean): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = address;
  if (isNewTab) {
    form.target = '_blank';
    form.rel = 'noopener';
  }
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}
