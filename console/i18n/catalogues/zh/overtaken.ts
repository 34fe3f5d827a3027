export const texts = {
  title: '此记录已被他人修改',
  verb: '覆盖',
  takeTheirs: '采用对方的修改',
  member: '{label}：',
  yes: '是',
  no: '否',
  empty: '（空）',
};
