// Leaves the SDK to Node, as it is in this repository; installed from npm it needs no line here.
export default { serverExternalPackages: ["@signalbox/sdk", "@signalbox/contract"] };
