export default {
  title: 'Tideline',
  url: 'https://docs.tideline.example',
  baseUrl: '/',
}
