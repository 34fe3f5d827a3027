export const texts = {
  view: '{label}的编辑方式',
  table: '表格',
  from: '第 {place} 行的原名称',
  to: '第 {place} 行的目标名称',
  fromName: '请求的模型',
  toName: '实际的模型',
  remove: '移除第 {place} 行',
  long: '超过 {most} 行时只能以 JSON 编辑',
  add: '添加一行',
  repeated: '{name} 重复出现：以最后的第 {place} 行为准',
  repeatedLine: '{name} 重复出现：以 JSON 中最后的第 {place} 行为准',
  loop: '模型重定向形成循环：{names}',
};
