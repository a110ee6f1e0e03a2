const { likeBottleneck } = require("@ebb/compat");
const axios = require("axios");

const limiter = likeBottleneck({
    maxConcurrent: 2,
    minTime: 100
});

const getItem = async (id, lang) => {
    const { data } = await axios.get(`https://api.example.com/items/${id}?lang=${lang}`);
    return data;
};

exports.items = () => Promise.all([1, 2, 3, 4, 5].map((id) => limiter.schedule(getItem, id, "en")));
