/** A value that a schema admits, for endpoints whose declaration gives no example of its own. */
type Schema = Record<string, unknown>;

/** Names whose plain value would tell little. */
const telling: Readonly<Record<string, unknown>> = {
  success: true,
  message: '',
  id: 7,
  user_id: 7,
  page: 1,
  page_size: 10,
  total: 1,
  created_at: 1_790_000_000,
  created_time: 1_790_000_000,
  start_timestamp: 1_789_900_000,
  end_timestamp: 1_790_000_000,
  username: 'alice',
  email: 'alice@example.org',
  model: 'gpt-4o',
  model_name: 'gpt-4o',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
  name: 'example',
  quota: 500_000,
};

/** Pure: the same schema gives the same value. Members that are not required are shown too. */
export function exampleOfSchema(schema: unknown, name = ''): unknown {
  if (!isSchema(schema)) return null;
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  const options = schema.enum ?? schema.anyOf ?? schema.oneOf;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(options)) return exampleOfSchema(options[0], name);
  const known = Object.hasOwn(telling, name) ? telling[name] : undefined;
  switch (schema.type) {
    case 'object':
      return exampleOfObject(schema);
    case 'array':
      return [exampleOfSchema(schema.items, name)];
    case 'boolean':
      return typeof known === 'boolean' ? known : false;
    case 'integer':
    case 'number':
      return typeof known === 'number' ? known : typeof schema.minimum === 'number' ? Math.max(0, schema.minimum) : 0;
    case 'string':
      return typeof known === 'string' ? known : '';
    default:
      return known ?? null;
  }
}

function exampleOfObject({ properties }: Schema): Schema {
  if (!isSchema(properties)) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, exampleOfSchema(member, name)]));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
