export default { title: 'Osier', cleanUrls: true }
