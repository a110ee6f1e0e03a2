// As @react-native/metro-config sets them.
module.exports = {
  resolver: { unstable_conditionNames: ['react-native'] },
  transformer: { babelTransformerPath: require.resolve('@react-native/metro-babel-transformer') },
};
